const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** Seconds before each attempt, the first part of the schedule that Standard Webhooks recommends ("Deliverability and reliability"). */
const DELAYS_S = [0, 5, 5 * MINUTE_S, 30 * MINUTE_S, 2 * HOUR_S, 5 * HOUR_S, 10 * HOUR_S];
const JITTER = 0.2;
const LONGEST_RETRY_AFTER_S = 10 * HOUR_S;

/** The answers whose `Retry-After` counts: too many requests, or a server or gateway in trouble (RFC 9110, RFC 6585). */
const THROTTLING = new Set([429, 502, 503, 504]);

/** What the receiver answered to an attempt. `retryAfterSeconds`: its `Retry-After`, at least 0. */
export type CallbackAnswer = { status: number; retryAfterSeconds?: number };

/**
 * How long to wait before an attempt, counted from the one before. Spread by ±20 %, so that what failed together does not
 * come back together; a `Retry-After` of a throttling answer may only lengthen it, by up to 10 h in all.
 * @param attempt 1 for the first. @param random 0 to 1. @param answer to the attempt before, if there was one.
 * @returns whole seconds; undefined when no attempt is left.
 */
export function delayBeforeAttempt(attempt: number, random: number, answer?: CallbackAnswer): number | undefined {
  const delay = DELAYS_S[attempt - 1];
  if (delay === undefined) return undefined;
  const spread = Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spread, askedDelay(answer));
}

function askedDelay(answer: CallbackAnswer | undefined): number {
  if (!answer?.retryAfterSeconds || !THROTTLING.has(answer.status)) return 0;
  return Math.min(Math.ceil(answer.retryAfterSeconds), LONGEST_RETRY_AFTER_S);
}

/**
 * What an answer means by Standard Webhooks: any 2xx is delivered, 410 ends the notifications of that call, everything else,
 * redirects included, is tried again. @param status the HTTP status.
 */
export function readAnswer(status: number): 'delivered' | 'gone' | 'retry' {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'retry';
}
