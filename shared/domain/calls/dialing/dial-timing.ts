const MINUTE_MS = 60_000;

/** How long a client's call may wait for its dial, unless the organization sets `max_wait_minutes`. */
export const DEFAULT_WAIT_MINUTES = 15;

/** How long a lead's call may wait: longer than a client's call, because no client would place it again. */
export const LEAD_WAIT_MINUTES = 120;

const FIRST_BACKOFF_SECONDS = 15;
const LONGEST_BACKOFF_SECONDS = 120;
/** Almost 15 minutes, so that a queue can delay the message that ends the wait. */
const LONGEST_BACKOFF_OF_DESTINATION_SECONDS = 890;

/**
 * The cause of a refused attempt that closes no gate: the call's destination, or a fault of the platform. No gate
 * bounds the number of these attempts.
 */
export type UngatedRefusal = 'destination' | 'platform';

/** Returns the instant from which a call may no longer be dialed. @param queuedAt ISO 8601. */
export const dialBy = (queuedAt: string, waitMinutes = DEFAULT_WAIT_MINUTES): string =>
  new Date(Date.parse(queuedAt) + waitMinutes * MINUTE_MS).toISOString();

/**
 * Computes the back-off in seconds: 15 s, doubling to 2 min, less up to half of it as jitter. After a refusal of the
 * destination it doubles to 15 min: no opening gate ends such refusals, and each dial of a lead holds its credit again.
 * @param attempts dials so far, at least 1. @param random from 0 to 1.
 */
export function backoffSeconds(attempts: number, random: number, ungated?: UngatedRefusal): number {
  const longest = ungated === 'destination' ? LONGEST_BACKOFF_OF_DESTINATION_SECONDS : LONGEST_BACKOFF_SECONDS;
  const ceiling = Math.min(longest, FIRST_BACKOFF_SECONDS * 2 ** (attempts - 1));
  return Math.ceil(ceiling * (1 - random / 2));
}
