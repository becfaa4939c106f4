/** A half-open span of time in milliseconds: `to` is not part of it. */
export type Span = { from: number; to: number };

/** Records the time spans whose calls were listed completely. */
export function coverage() {
  const listed: (Span & { at: number })[] = [];

  const missing = (wanted: Span): Span[] =>
    listed.reduce<Span[]>((gaps, part) => gaps.flatMap((gap) => without(gap, part)), [wanted]);

  return {
    /** @param at when the listing was requested, in milliseconds. */
    add(span: Span, at: number): void {
      if (span.from < span.to) listed.push({ ...span, at });
    },

    /** Returns the parts of a span that were not listed. */
    missing,

    /** @returns when the oldest part of a span was listed; undefined if a part was not. */
    listedAt(span: Span): number | undefined {
      if (missing(span).length > 0) return undefined;
      const parts = listed.filter((part) => part.from < span.to && span.from < part.to);
      return Math.min(...parts.map(({ at }) => at));
    },
  };
}

const without = (span: Span, part: Span): Span[] =>
  [
    { from: span.from, to: Math.min(span.to, part.from) },
    { from: Math.max(span.from, part.to), to: span.to },
  ].filter(({ from, to }) => from < to);
