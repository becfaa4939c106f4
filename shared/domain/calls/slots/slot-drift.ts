/** The slots that a call holds, and when it took them (ISO 8601); absent for calls of earlier versions. */
export type Holding = { slots?: readonly string[] | undefined; slots_at?: string | undefined };

/** The lowest and the highest possible value of a number. */
export type Bounds = { least: number; most: number };

/** Counts the slots that live calls hold, by scope. */
export function heldByScope(calls: Iterable<Holding>): Map<string, number> {
  const held = new Map<string, number>();
  for (const { slots = [] } of calls) for (const scope of slots) held.set(scope, (held.get(scope) ?? 0) + 1);
  return held;
}

/** A counter of live calls. `moves`: how many slots were taken and given back so far. */
type Counted = { live: number; moves: number };

/** Computes how many slots were taken between two reads of a counter; an upper bound if it was corrected in between. */
export function takenBetween(before: Counted, after: Counted): number {
  const moved = after.moves - before.moves;
  const taken = (moved + after.live - before.live) / 2;
  return Number.isInteger(taken) && taken >= 0 && taken <= moved ? taken : moved;
}

/**
 * Computes how many slots of a scope calls held when its counter was read. A slot that moves between the two reads of
 * the calls may be counted or not. The index may lack a call that took its slot after the first read of the counter.
 * @param earlier the calls, by id, read before the counter @param later the same calls, read after it
 * @param taken how many slots were taken since the first read of the counter @param since ISO 8601, not before that
 * read: `taken` includes the slots that calls took after it
 */
export function heldBounds(
  scope: string,
  [earlier, later]: readonly [ReadonlyMap<string, Holding>, ReadonlyMap<string, Holding>],
  { taken, since }: { taken: number; since: string },
): Bounds {
  const atOf = (calls: ReadonlyMap<string, Holding>, id: string) => {
    const { slots = [], slots_at = '' } = calls.get(id) ?? {};
    return slots.includes(scope) ? slots_at : undefined;
  };
  let [sure, unsure, known] = [0, 0, 0];
  for (const id of new Set([...earlier.keys(), ...later.keys()])) {
    const [was, is] = [atOf(earlier, id), atOf(later, id)];
    if (was === undefined && is === undefined) continue;
    if (was === is) sure += 1;
    else unsure += 1;
    if ((is ?? was ?? '') > since) known += 1;
  }
  return { least: sure, most: sure + unsure + Math.max(0, taken - known) };
}

/** Computes the drift of a counter: counter − calls. */
export const driftBounds = (live: number, held: Bounds): Bounds => ({
  least: live - held.most,
  most: live - held.least,
});

/** Returns the least drift of a counter; 0 if the counter may be right. */
export const leastDrift = ({ least, most }: Bounds): number => Math.max(0, least) + Math.min(0, most);

/**
 * Computes the correction of a counter: the drift that two runs of recover-calls agree on, because the index of
 * unfinished calls may lag longer than usual. A run that finds no certain drift keeps the noted one, unless the bounds
 * exclude it.
 * @param former the drift that a former run noted, if any @param current the present drift: counter − calls
 */
export function judgeDrift(former: number | undefined, current: Bounds): { correct: number; note: number } {
  const noted = former ?? 0;
  const found = leastDrift(current);
  if (found === 0) return { correct: 0, note: noted >= current.least && noted <= current.most ? noted : 0 };
  if (Math.sign(noted) !== Math.sign(found)) return { correct: 0, note: found };
  return { correct: Math.sign(found) * Math.min(Math.abs(noted), Math.abs(found)), note: 0 };
}
