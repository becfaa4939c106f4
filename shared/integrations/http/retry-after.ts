import type { IncomingHttpHeaders } from 'node:http';

/** Reads `Retry-After`, which is seconds or a date (RFC 9110, 10.2.3), as seconds; undefined if it is neither. */
export function readRetryAfter(value: string | undefined, sentAt: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const seconds = Math.ceil((Date.parse(value) - sentAt.getTime()) / 1000);
  return /gmt$/i.test(value) && Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

const LONGEST_RETRY_AFTER_SECONDS = 24 * 60 * 60;

/**
 * Reads the wait that an answer demands, from 1 to 86,400 seconds. A date is relative to the date of the answer, not to
 * our clock.
 */
export function retryAfterIn(headers: IncomingHttpHeaders): { retryAfterSeconds?: number } {
  const { 'retry-after': value, date } = headers;
  const seconds = readRetryAfter(value, new Date(String(date)));
  if (seconds === undefined) return {};
  return { retryAfterSeconds: Math.min(Math.max(1, seconds), LONGEST_RETRY_AFTER_SECONDS) };
}
