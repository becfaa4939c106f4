const MINUTE_MS = 60_000;

/** How long a call placed by REST may wait for its dial, where the org sets nothing else. */
export const DEFAULT_WAIT_MINUTES = 15;

/** The same for a lead's call: nobody repeats it, so it is worth a longer wait. */
export const LEAD_WAIT_MINUTES = 120;

const FIRST_BACKOFF_SECONDS = 15;
const LONGEST_BACKOFF_SECONDS = 120;

/** @returns the instant after which the phone is not rung any more. @param queuedAt ISO 8601. */
export const dialBy = (queuedAt: string, waitMinutes = DEFAULT_WAIT_MINUTES): string =>
  new Date(Date.parse(queuedAt) + waitMinutes * MINUTE_MS).toISOString();

/**
 * Seconds until a call that was not dialed is tried again: 15 s, doubling to 2 min, less up to half as jitter, so that
 * calls refused together do not come back together.
 * @param attempts dials so far, at least 1. @param random 0 to 1.
 */
export function backoffSeconds(attempts: number, random: number): number {
  const ceiling = Math.min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** (attempts - 1));
  return Math.ceil(ceiling * (1 - random / 2));
}
