/** @returns the live calls that hold slots, by scope. */
export function heldByScope(calls: readonly { slots?: readonly string[] | undefined }[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const scope of calls.flatMap(({ slots = [] }) => slots)) held.set(scope, (held.get(scope) ?? 0) + 1);
  return held;
}

/**
 * Computes by how much a counter is wrong. Calls take and give back slots while they are counted, so a difference
 * counts only as far as two runs of recover-calls agree about it.
 * @param former the difference that the last run noted, if any. @param current the difference now: counter − calls.
 */
export function confirmedDrift(former: number | undefined, current: number): number {
  if (former === undefined || Math.sign(former) !== Math.sign(current)) return 0;
  return Math.sign(current) * Math.min(Math.abs(former), Math.abs(current));
}
