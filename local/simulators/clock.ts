import { readFileSync } from 'node:fs';

/** The simulator's idea of now, in milliseconds since 1970. */
export type Clock = () => number;

/**
 * The machine's clock plus the number of seconds in a file, read again at every use so that a test can move it.
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
