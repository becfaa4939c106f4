/**
 * @param measured length of the recording, in seconds; undefined before it is read
 * @param duration of the call, in seconds; null before its end
 * @returns the length of the recording, if known
 */
export const lengthOf = (measured: number | undefined, duration: number | null): number => measured ?? duration ?? 0;

/** @returns the position to seek to, in seconds. A recording that is not loaded yet has no end. */
export const placeIn = (seconds: number, measured: number | undefined): number =>
  Math.min(Math.max(0, seconds), measured ?? Number.POSITIVE_INFINITY);
