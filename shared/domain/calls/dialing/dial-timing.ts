const MINUTE_MS = 60_000;

/** How long a client's call may wait for its dial, unless the organization sets `max_wait_minutes`. */
export const DEFAULT_WAIT_MINUTES = 15;

/** How long a lead's call may wait: longer than a client's call, because no client would place it again. */
export const LEAD_WAIT_MINUTES = 120;

const FIRST_BACKOFF_SECONDS = 15;
const LONGEST_BACKOFF_SECONDS = 120;

/** Returns the instant from which a call may no longer be dialed. @param queuedAt ISO 8601. */
export const dialBy = (queuedAt: string, waitMinutes = DEFAULT_WAIT_MINUTES): string =>
  new Date(Date.parse(queuedAt) + waitMinutes * MINUTE_MS).toISOString();

/**
 * Computes the back-off in seconds: 15 s, doubling to 2 min, less up to half of it as jitter.
 * @param attempts dials so far, at least 1. @param random from 0 to 1.
 */
export function backoffSeconds(attempts: number, random: number): number {
  const ceiling = Math.min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** (attempts - 1));
  return Math.ceil(ceiling * (1 - random / 2));
}
