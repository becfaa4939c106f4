import { readFileSync } from 'node:fs';

export type Clock = () => Date;

/**
 * The product's clock: the machine's, plus the seconds in CLOCK_FILE. Only the local stage has such a file, which also
 * moves the emulator's clock, so that tests can skip hours and days.
 */
export const clock: Clock = () => clockFrom(process.env.CLOCK_FILE)();

/** The machine's clock, plus the seconds in a file. @param file undefined or missing = the clock has not been moved. */
export const clockFrom =
  (file: string | undefined): Clock =>
  () =>
    new Date(Date.now() + offsetSeconds(file) * 1000);

/** Waits in the machine's time, whatever the product's clock says. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

function offsetSeconds(file: string | undefined): number {
  if (!file) return 0;
  try {
    return Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
