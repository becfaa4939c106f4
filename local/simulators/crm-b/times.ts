const isoWithOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/;

/** Writes a time as the vendor does: to the second, in the account's offset, never with Z. */
export function vendorTime(ms: number, offset: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):(\d{2})$/.exec(offset) ?? [];
  const shift = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  return `${new Date(ms + 60_000 * shift).toISOString().slice(0, 19)}${offset}`;
}

/** Reads ISO 8601 to the second, with an offset. The vendor refuses milliseconds. */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || !isoWithOffset.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
