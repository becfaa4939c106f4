import { problems } from './problems.ts';

/** A page of a list or a search. */
export type Page = { from: number; limit: number };

/** Refuses parameters that are not among the names. `orgId` is always allowed. @throws Problem 422 */
export function allowOnly(query: URLSearchParams, names: string[]): void {
  for (const name of query.keys()) if (name !== 'orgId' && !names.includes(name)) throw problems.extraParam(name);
}

/** Reads the requested page. @param first the number of the first row. @param last the largest `from` */
export function readPage(query: URLSearchParams, first: 0 | 1, last = 999): Page {
  const from = wholeNumber(query, 'from', first, { min: 0, max: last });
  return { from: Math.max(0, from - first), limit: wholeNumber(query, 'limit', 10, { min: 1, max: 100 }) };
}

export const cut = <Row>(rows: Row[], { from, limit }: Page): Row[] => rows.slice(from, from + limit);

function wholeNumber(query: URLSearchParams, name: string, absent: number, { min, max }: { min: number; max: number }) {
  const given = query.get(name);
  if (given === null) return absent;
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < min || value > max) throw problems.invalidParam(name);
  return value;
}

/** Sorts by one of the given times, descending with a leading `-`. `relevance`, the default, keeps the order. */
export function sorted<Row>(rows: Row[], query: URLSearchParams, times: Record<string, (row: Row) => number>): Row[] {
  const [, minus, name = ''] = /^(-?)(\w+)$/.exec(query.get('sortBy') ?? 'relevance') ?? [];
  if (name === 'relevance') return rows;
  const time = times[name];
  if (!time) throw problems.invalidParam('sortBy');
  const sign = minus ? -1 : 1;
  return rows.toSorted((one, other) => sign * (time(one) - time(other)));
}

const rangeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/** Builds a test for the range `from,to` of a parameter, both ends included. Without it, every time passes. */
export function inRange(query: URLSearchParams, name: string): (ms: number) => boolean {
  const given = query.get(name);
  if (given === null) return () => true;
  const ends = given.split(',');
  const [from, to] = ends.map((end) => (rangeForm.test(end) ? Date.parse(end) : Number.NaN));
  if (ends.length !== 2 || !(from !== undefined && to !== undefined && from <= to)) throw problems.invalidParam(name);
  return (ms) => ms >= from && ms <= to;
}

/** Builds a test for the comma-separated values of a parameter. Without it, every value passes. */
export function isOneOf(query: URLSearchParams, name: string): (value: string | null | undefined) => boolean {
  const given = query.get(name);
  if (given === null) return () => true;
  const values = given.split(',').map((value) => value.toLowerCase());
  return (value) => values.includes((value ?? '').toLowerCase());
}

/**
 * Builds a test for the comma-separated patterns of a parameter. One pattern must match the whole value. `*` matches
 * any text, `${empty}` no value and `${notempty}` any value. Without the parameter, every value passes.
 * @throws Problem 422 for a pattern under 3 characters
 */
export function isLike(
  query: URLSearchParams,
  name: string,
  form: (text: string) => string = (text) => text,
): (value: string | null | undefined) => boolean {
  const given = query.get(name);
  if (given === null) return () => true;
  const tests = given.split(',').map((pattern) => {
    if (pattern.length < 3) throw problems.invalidParam(name);
    const emptiness = /^\$\{(not)?empty\}$/i.exec(pattern);
    if (emptiness) return (value: string) => (value === '') !== Boolean(emptiness[1]);
    const parts = pattern.split('*').map(form);
    // A text without digits is not a phone number.
    if (pattern.replaceAll('*', '') !== '' && parts.join('') === '') return () => false;
    const whole = new RegExp(`^${parts.map(RegExp.escape).join('.*')}$`, 'is');
    return (value: string) => value !== '' && whole.test(form(value));
  });
  return (value) => tests.some((test) => test(value ?? ''));
}

/** Returns a function that normalizes a phone number for comparison. */
export const phoneForm = (by: 'digits' | 'characters') => (text: string) =>
  by === 'digits' ? text.replace(/\D/g, '') : text;
