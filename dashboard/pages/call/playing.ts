/**
 * @param measured of the recording, in seconds; undefined before it is read
 * @param duration of the call, in seconds; null before its end
 * @returns how long the recording is, as far as it is known
 */
export const lengthOf = (measured: number | undefined, duration: number | null): number => measured ?? duration ?? 0;

/** @returns the place to go to, in seconds. A recording that is not read yet has no end. */
export const placeIn = (seconds: number, measured: number | undefined): number =>
  Math.min(Math.max(0, seconds), measured ?? Number.POSITIVE_INFINITY);
