import { readFileSync } from 'node:fs';

/** The simulated time, in milliseconds since 1970. */
export type Clock = () => number;

/**
 * Adds the seconds in a file to the machine's clock. The file is read at every use, so that a test can move the clock.
 * A missing, empty or unreadable file counts as 0.
 */
export function movableClock(file?: string): Clock {
  return () => Date.now() + 1000 * offsetSeconds(file);
}

function offsetSeconds(file?: string): number {
  if (!file) return 0;
  try {
    const seconds = Number(readFileSync(file, 'utf8').trim());
    return Number.isFinite(seconds) ? seconds : 0;
  } catch {
    return 0;
  }
}
