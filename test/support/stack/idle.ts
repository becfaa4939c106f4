import { setTimeout as sleep } from 'node:timers/promises';

/** The work that is under way, by its kind. */
export type Counts = Readonly<Record<string, number>>;

const IDLE_POLLS = 2;
const POLL_INTERVAL_MS = { first: 30, last: 150 };

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * Waits until two reads in a row find no work.
 * @param seconds the longest wait @throws Error with the last counts, so that no test runs amid the work of another
 */
export async function untilIdle(read: () => Promise<Counts>, seconds: number): Promise<void> {
  const started = performance.now();
  for (let quiet = 0; ; ) {
    const counts = await read();
    quiet = totalOf(counts) === 0 ? quiet + 1 : 0;
    if (quiet === IDLE_POLLS) return;
    const waited = performance.now() - started;
    if (waited > seconds * 1000) throw new Error(`still under way after ${seconds} s: ${JSON.stringify(counts)}`);
    const { first, last } = POLL_INTERVAL_MS;
    await sleep(quiet > 0 ? first : Math.min(last, Math.max(first, waited / 10)));
  }
}
