import { readFileSync } from 'node:fs';

export type Clock = () => Date;

/**
 * Returns the time of the service: the machine's clock plus the seconds in CLOCK_FILE. Only the local stage has that
 * file, which also moves the emulator's clock, so that tests can pass hours and days.
 */
export const clock: Clock = () => clockFrom(process.env.CLOCK_FILE)();

/** Returns the machine's clock plus the seconds in a file. @param file undefined if the clock cannot be moved. */
export const clockFrom =
  (file: string | undefined): Clock =>
  () =>
    new Date(Date.now() + offsetSeconds(file) * 1000);

/** Waits in machine time, independent of the service's clock. @param signal ends the wait early. */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
  });

function offsetSeconds(file: string | undefined): number {
  if (!file) return 0;
  try {
    return Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    return 0; // No file: the clock has not been moved.
  }
}
