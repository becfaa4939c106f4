/** @returns the live calls that hold slots, by scope. */
export function heldByScope(calls: readonly { slots?: readonly string[] | undefined }[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const scope of calls.flatMap(({ slots = [] }) => slots)) held.set(scope, (held.get(scope) ?? 0) + 1);
  return held;
}

/**
 * Computes by how much a counter is wrong at least. Each slot that moves while the calls are read may be counted in the
 * counter and not in its call, or the reverse.
 * @param moved how many slots have moved since before the calls were read.
 * @returns counter − calls.
 */
export function leastDrift(live: number, held: number, moved: number): number {
  const difference = live - held;
  return Math.sign(difference) * Math.max(0, Math.abs(difference) - moved);
}

/**
 * Computes by how much to correct a counter: as far as two runs of recover-calls agree, because the index of unfinished
 * calls may lag longer than usual.
 * @param former the difference that the last run noted, if any. @param current the difference now: counter − calls.
 */
export function confirmedDrift(former: number | undefined, current: number): number {
  const noted = former ?? 0;
  if (Math.sign(noted) !== Math.sign(current)) return 0;
  return Math.sign(current) * Math.min(Math.abs(noted), Math.abs(current));
}
