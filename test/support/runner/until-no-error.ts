import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats `attempt` until it does not throw. @returns its value @throws its last error after `seconds` */
export async function untilNoError<T>(attempt: () => T | Promise<T>, seconds = 45): Promise<T> {
  const end = performance.now() + 1000 * seconds;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(50);
    }
  }
}
