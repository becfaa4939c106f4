/** A wrong `Retry-After` must not stop all requests to a remote system for hours. */
const LONGEST_SECONDS = 15 * 60;

/** Returns how long to pause requests to a system that demanded a wait, in seconds: 15 minutes at most. */
export const demandedWait = (retryAfterSeconds = 0): number => Math.min(retryAfterSeconds, LONGEST_SECONDS);
