const SECOND_MS = 1000;

/** Moves an instant by seconds and returns it as ISO 8601. */
export const secondsAfter = (instant: string | Date, seconds: number): string =>
  new Date(new Date(instant).getTime() + seconds * SECOND_MS).toISOString();

/** Returns the seconds from one instant to another; negative if they are reversed. */
export const secondsBetween = (earlier: string | Date, later: string | Date): number =>
  (new Date(later).getTime() - new Date(earlier).getTime()) / SECOND_MS;
