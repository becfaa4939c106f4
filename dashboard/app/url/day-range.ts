import { boundsOfDay } from '../../words/times.ts';

/** First and last day of a list, as stored in the address: `YYYY-MM-DD` in India. */
export type DayRange = { from?: string; to?: string };

/** Reads a day from an address. @returns undefined if it is not a day */
export const readDay = (value: unknown): string | undefined =>
  typeof value === 'string' && boundsOfDay(value) ? value : undefined;

/** Reads an address's range; ignores invalid values. */
export function readDayRange(search: Readonly<Record<string, unknown>>): DayRange {
  const [from, to] = [readDay(search.from), readDay(search.to)];
  return { ...(from && { from }), ...(to && { to }) };
}

/** @returns the instants of the range, for the query of a list */
export function rangeQuery({ from, to }: { [Name in keyof DayRange]: string | undefined }): DayRange {
  const [first, last] = [from && boundsOfDay(from)?.from, to && boundsOfDay(to)?.to];
  return { ...(first && { from: first }), ...(last && { to: last }) };
}
