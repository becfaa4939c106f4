import { readFileSync } from 'node:fs';

export type Clock = () => Date;

/**
 * The product's clock: the machine's, plus the seconds that stand in CLOCK_FILE. Only the local stage has such a file
 * (it also moves the emulator's clock), so that waits of hours and days can be tried.
 */
export const clock: Clock = () => new Date(Date.now() + offsetSeconds() * 1000);

/** Waits in the machine's time, whatever the product's clock says. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

function offsetSeconds(): number {
  const file = process.env.CLOCK_FILE;
  if (!file) return 0;
  try {
    return Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    return 0; // no file yet: the clock has not been moved
  }
}
