const SECOND_MS = 1000;

/** @returns `instant` moved by seconds, as ISO 8601. */
export const secondsAfter = (instant: string | Date, seconds: number): string =>
  new Date(new Date(instant).getTime() + seconds * SECOND_MS).toISOString();

/** @returns seconds from `earlier` to `later`; negative when they are the other way round. */
export const secondsBetween = (earlier: string | Date, later: string | Date): number =>
  (new Date(later).getTime() - new Date(earlier).getTime()) / SECOND_MS;
