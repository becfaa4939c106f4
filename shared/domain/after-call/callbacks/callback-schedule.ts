const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/**
 * Seconds before each attempt: the first part of the schedule of Standard Webhooks ("Deliverability and reliability").
 */
const DELAYS_S = [0, 5, 5 * MINUTE_S, 30 * MINUTE_S, 2 * HOUR_S, 5 * HOUR_S, 10 * HOUR_S];
export const MAX_ATTEMPTS = DELAYS_S.length;
const JITTER = 0.2;
const LONGEST_RETRY_AFTER_S = 10 * HOUR_S;

/** The statuses whose `Retry-After` counts (RFC 9110, RFC 6585). */
const THROTTLING = new Set([429, 502, 503, 504]);

/** The receiver's answer to an attempt. `retryAfterSeconds` is at least 0. */
export type CallbackAnswer = { status: number; retryAfterSeconds?: number };

/**
 * Computes the wait before an attempt. Jitter of ±20 % keeps attempts that failed together from being retried together.
 * A `Retry-After` of a throttling answer can only lengthen the wait, to 10 hours at most.
 * @param attempt 1 for the first. @param random 0 to 1. @param answer to the previous attempt.
 * @returns whole seconds; undefined if no attempt is left.
 */
export function delayBeforeAttempt(attempt: number, random: number, answer?: CallbackAnswer): number | undefined {
  const delay = DELAYS_S[attempt - 1];
  if (delay === undefined) return undefined;
  const spread = Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spread, demandedDelay(answer));
}

function demandedDelay(answer: CallbackAnswer | undefined): number {
  if (!answer?.retryAfterSeconds || !THROTTLING.has(answer.status)) return 0;
  return Math.min(Math.ceil(answer.retryAfterSeconds), LONGEST_RETRY_AFTER_S);
}

/**
 * Classifies an HTTP status by Standard Webhooks: 2xx is delivered, 410 ends the notifications of the call, every other
 * status, redirects included, is retried.
 */
export function classifyAnswer(status: number): 'delivered' | 'gone' | 'retry' {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'retry';
}
