/**
 * Rotates ids to a random start, so that each id is reached eventually, even if runs have no time for all.
 * @param random a number from 0 to 1
 */
export function rotateToRandomStart(ids: readonly string[], random: number): string[] {
  const first = Math.floor(random * ids.length);
  return [...ids.slice(first), ...ids.slice(0, first)];
}
