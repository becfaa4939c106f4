/** Rotates ids to a random one, so that none is always among those that a run has no time for. @param random 0 to 1 */
export function fromRandomOne(ids: readonly string[], random: number): string[] {
  const first = Math.floor(random * ids.length);
  return [...ids.slice(first), ...ids.slice(0, first)];
}
