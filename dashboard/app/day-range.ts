import { boundsOfDay } from '../words/times.ts';

/** First and last day of a list, as the address holds them: `YYYY-MM-DD` in India. */
export type DayRange = { from?: string; to?: string };

const isDay = (value: unknown): value is string => typeof value === 'string' && boundsOfDay(value) !== undefined;

/** Reads the range of an address; what cannot be used is left out. */
export const readDayRange = ({ from, to }: Readonly<Record<string, unknown>>): DayRange => ({
  ...(isDay(from) && { from }),
  ...(isDay(to) && { to }),
});

/** @returns the instants of the range, for the query of a list */
export function rangeQuery({ from, to }: DayRange): DayRange {
  const [first, last] = [from && boundsOfDay(from)?.from, to && boundsOfDay(to)?.to];
  return { ...(first && { from: first }), ...(last && { to: last }) };
}
