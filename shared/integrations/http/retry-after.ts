/** Reads `Retry-After`, which is seconds or a date (RFC 9110, 10.2.3), as seconds; undefined if it is neither. */
export function readRetryAfter(value: string | undefined, sentAt: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const seconds = Math.ceil((Date.parse(value) - sentAt.getTime()) / 1000);
  return /gmt$/i.test(value) && Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
