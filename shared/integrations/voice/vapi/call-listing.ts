import type { CallLookup, Unknown } from '../voice-platform.ts';

/** A call as the platform lists it. `createdAt` in milliseconds. */
export type ListedCall = { id: string; callId: string | undefined; createdAt: number | undefined };

/** The newest `limit` calls of a span, newest first. */
export type PageQuery = Span & { limit: number };

export type Page =
  | { kind: 'page'; calls: ListedCall[] }
  /** The answer was too large or too slow. */
  | { kind: 'no_answer'; reason: string }
  | Unknown;

type HasTime = () => boolean;

/** A record repeats our prompt several times and may exceed 200 KB. An answer may have 8 MB at most. */
const PAGE_SIZE = 20;
/** The limit of the pages that are requested for one millisecond. More calls cannot be listed. */
const LARGEST_PAGE = 100;
/** Time for all lookups of a run in milliseconds, because the run has other work. */
const BUDGET_MS = 60_000;
/** Windows are widened to multiples of this many milliseconds, so that calls close in time share the pages. */
const GRID_MS = 2 * 60_000;
/** After this many failed requests, no more are sent until the next run. */
const MAX_FAILURES = 3;

/**
 * Builds the lookup of one run. It lists every time span once, however many calls are looked up. Vapi lists newest
 * first, filters only by creation time and has no cursor, so the listing continues before the oldest call of a page
 * (API reference, GET /call). An incomplete listing proves nothing.
 * @param readPage requests one page. @param now in milliseconds. @param stopwatch in milliseconds, monotonic.
 */
export function callListing(
  readPage: (query: PageQuery) => Promise<Page>,
  { now = Date.now, stopwatch = () => performance.now(), budgetMs = BUDGET_MS } = {},
): CallLookup {
  const listed = coverage();
  const byCallId = new Map<string, Set<string>>();
  /**
   * For each position before which listing stopped: the start of the span that could not be listed, and the reason.
   * This is not a failure of the platform: a span that begins after the record that stopped the listing can be listed.
   */
  const stuckAt = new Map<number, { from: number; failure: Unknown }>();
  let pageSize = PAGE_SIZE;
  let failures = 0;
  let lastFailure: Unknown | undefined;
  let begun: number | undefined;
  let listing: Promise<unknown> = Promise.resolve();

  const matches = (callId: string, former: ReadonlySet<string>) =>
    [...(byCallId.get(callId) ?? [])].filter((id) => !former.has(id));

  const note = (calls: readonly ListedCall[]) => {
    for (const { id, callId } of calls)
      if (callId !== undefined) byCallId.set(callId, (byCallId.get(callId) ?? new Set()).add(id));
  };

  /** The next position starts with whole pages: one large record says nothing about the others. */
  const stopAt = ({ from, to }: Span, failure: Unknown): Unknown => {
    stuckAt.set(to, { from, failure });
    pageSize = PAGE_SIZE;
    return failure;
  };

  const failed = (failure: Unknown): Unknown => {
    failures += 1;
    lastFailure = failure;
    return failure;
  };

  const request = async (query: PageQuery, hasTime: HasTime): Promise<Page> => {
    begun ??= stopwatch();
    if (lastFailure && failures >= MAX_FAILURES) return lastFailure;
    if (!hasTime()) return unknown('the run has no time left');
    if (stopwatch() - begun >= budgetMs) return unknown('lookup took too long');
    const page = await readPage(query);
    if (page.kind === 'page') {
      if (!isNewestFirst(page.calls)) return unknown('list is not sorted newest first');
      failures = 0;
      note(page.calls);
    }
    return page.kind === 'unknown' ? failed(page) : page;
  };

  /** Lists the calls of a span, and records each complete part. @returns why it could not be completed. */
  const list = async ({ from, to }: Span, hasTime: HasTime): Promise<Unknown | undefined> => {
    for (let before = to; before > from; ) {
      const stuck = stuckAt.get(before);
      if (stuck && from <= stuck.from) return stuck.failure;
      // Requests a single record, to learn whether the record that stopped the listing is in this span, too.
      const [at, limit] = [now(), stuck ? 1 : pageSize];
      const page = await request({ from, to: before, limit }, hasTime);
      if (page.kind === 'unknown') return page;
      if (page.kind === 'no_answer') {
        if (limit === 1) return stopAt({ from, to: before }, unknown(page.reason));
        pageSize = Math.floor(limit / 2);
        continue;
      }
      if (page.calls.length < limit) {
        listed.add({ from, to: before }, at);
        if (stuck) stuckAt.set(from, stuck);
        return undefined;
      }
      const oldest = instantsOf(page.calls).at(-1);
      if (oldest === undefined) return unknown('unreadable answer');
      // One millisecond later, because Vapi may round the instants that it lists.
      if (oldest + 1 < before) {
        listed.add({ from: oldest + 1, to: before }, at);
        before = oldest + 1;
        continue;
      }
      const failure = await listMillisecond(before - 1, limit * 2, hasTime);
      if (failure) return failure;
      before -= 1;
    }
    return undefined;
  };

  const listAll = async (gaps: readonly Span[], hasTime: HasTime): Promise<Unknown | undefined> => {
    for (const gap of gaps) {
      const failure = await list(gap, hasTime);
      if (failure) return failure;
    }
    return undefined;
  };

  /** Lists a millisecond that fills a page, because the calls before it are hidden behind it. */
  const listMillisecond = async (from: number, first: number, hasTime: HasTime): Promise<Unknown | undefined> => {
    const span = { from, to: from + 1 };
    for (let limit = first; limit <= LARGEST_PAGE; limit *= 2) {
      const at = now();
      const page = await request({ ...span, limit }, hasTime);
      if (page.kind === 'unknown') return page;
      if (page.kind === 'no_answer') return stopAt(span, unknown(page.reason));
      if (page.calls.length < limit) {
        listed.add(span, at);
        return undefined;
      }
    }
    return stopAt(span, unknown('list cannot be completed'));
  };

  /** Runs one listing at a time, so that calls with the same window share it. */
  const completed = (span: Span, hasTime: HasTime): Promise<Unknown | undefined> => {
    const work = listing.then(async () => {
      if (listed.missing(span).length === 0) return undefined;
      const failure = await listAll(listed.missing(widened(span, now())), hasTime);
      // The call that cannot be listed may lie outside the span, in the part by which it was widened.
      return failure && failure !== lastFailure ? listAll(listed.missing(span), hasTime) : failure;
    });
    listing = work.catch(() => undefined);
    return work;
  };

  return {
    async find(callId, { from, to }, former, hasTime = () => true) {
      const span = { from: from.getTime(), to: to.getTime() + 1 };
      // Continues even if the call is listed already, because a second call with this id may be in the rest of the
      // window.
      const failure = await completed(span, hasTime);
      const [platformId, ...others] = matches(callId, former);
      if (platformId) return { kind: 'found', platformId, others };
      const listedAt = listed.listedAt(span);
      if (listedAt === undefined) return failure ?? unknown('list cannot be completed');
      return { kind: 'absent', as_of: new Date(listedAt).toISOString() };
    },
  };
}

/** Widens a span to the grid, but not beyond the present. */
const widened = ({ from, to }: Span, now: number): Span => ({
  from: Math.floor(from / GRID_MS) * GRID_MS,
  to: Math.max(to, Math.min(Math.ceil(to / GRID_MS) * GRID_MS, now)),
});

const unknown = (reason: string): Unknown => ({ kind: 'unknown', reason });

const instantsOf = (calls: readonly ListedCall[]): number[] => calls.flatMap(({ createdAt = [] }) => createdAt);

const isNewestFirst = (calls: readonly ListedCall[]): boolean =>
  instantsOf(calls).every((instant, index, all) => index === 0 || instant <= (all[index - 1] as number));

/** A half-open span of time in milliseconds: `to` is not part of it. */
type Span = { from: number; to: number };

/** Records the time spans whose calls were listed completely. */
function coverage() {
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
