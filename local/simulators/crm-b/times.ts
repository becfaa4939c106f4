const isoWithOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/;

/** A time as the vendor writes it: to the second, in the account's own offset, never Z. */
export function vendorTime(ms: number, offset: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):(\d{2})$/.exec(offset) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  return `${new Date(ms + 60_000 * shift).toISOString().slice(0, 19)}${offset}`;
}

/** ISO 8601 to the second with an offset, as the vendor takes it; milliseconds are refused. */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || !isoWithOffset.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
