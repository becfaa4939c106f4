/**
 * Rotates ids to a random start, so that each id is reached eventually, even if no run has time for all ids.
 * @param random at least 0 and less than 1, as from Math.random
 */
export function rotateToRandomStart(ids: readonly string[], random: number): string[] {
  const first = Math.floor(random * ids.length);
  return [...ids.slice(first), ...ids.slice(0, first)];
}
