import * as z from 'zod/mini';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskWrite, Unavailable, WithoutEffect } from './help-desk.ts';

/** Ids are long numbers, sent as text. JSON numbers are accepted only while they are exact. */
export const idSchema = z.union([
  z.string().check(z.regex(/^[\w-]{1,50}$/)),
  z.pipe(z.int().check(z.nonnegative()), z.transform(String)),
]);

/** Reads ISO 8601 (the vendor's schema) or epoch milliseconds (its examples) as ISO 8601 UTC; all else as undefined. */
export const timeSchema = z.pipe(
  z.catch(z.nullish(z.union([z.string(), z.number()])), undefined),
  z.transform((value): string | undefined => {
    if (value === null || value === undefined || value === '') return undefined;
    const time = new Date(/^\d{10,15}$/.test(String(value)) ? Number(value) : value);
    return Number.isFinite(time.getTime()) ? time.toISOString() : undefined;
  }),
);

/** Sorts the oldest first, by the growing ids if the times are equal or unknown. */
export function byAge(one: { id: string; createdTime?: string | undefined }, other: typeof one): number {
  const [a = '', b = ''] = [one, other].map(({ id, createdTime = 'unknown' }) => createdTime + id.padStart(50, '0'));
  return a < b ? -1 : 1;
}

const UNREADABLE = 'an unreadable answer';
/** The largest `limit` and `from` (Zoho Desk v1, search). */
const PER_PAGE = 100;
const LAST_FROM = 999;
const LONGEST_LOOKUP_MS = 20_000;

type Read<Value> = { kind: 'read'; value: Value } | WithoutEffect;

/**
 * Sends a request that only reads.
 * @returns `value` undefined for an empty body (204: nothing found).
 */
export async function read<Schema extends z.ZodMiniType>(
  api: HelpDeskApi,
  access: HelpDeskAccess,
  request: { path: string; query?: Record<string, string>; isWithoutOrg?: boolean },
  schema: Schema,
): Promise<Read<z.infer<Schema> | undefined>> {
  const answer = await api(access, { method: 'GET', ...request });
  if (answer.kind === 'unknown') return { ...answer, kind: 'unavailable' };
  if (answer.kind !== 'answered') return answer;
  if (answer.body === undefined) return { kind: 'read', value: undefined };
  const body = z.safeParse(schema, answer.body);
  return body.success ? { kind: 'read', value: body.data } : { kind: 'unavailable', reason: UNREADABLE };
}

/**
 * Returns the end of a lookup's time, by `performance.now()`. The limit exists because the caller's time is limited,
 * too.
 */
export const lookupEnd = (): number => performance.now() + LONGEST_LOOKUP_MS;

export const tooManyToSearch: Unavailable = { kind: 'unavailable', reason: 'too many records to search' };

/**
 * Reads all pages. An incomplete result would prove no absence, so it is `unavailable`. The vendor's documents
 * contradict each other whether the first row of a list is 0 or 1: if it is 1, a row appears on two pages.
 * @param request.until from `lookupEnd`.
 * @param request.isEnough returns whether the later pages are not wanted, given the last row of a page; absent to read
 * all pages.
 */
export async function readAll<Row extends z.ZodMiniType<{ id: string }>>(
  api: HelpDeskApi,
  access: HelpDeskAccess,
  {
    path,
    query = {},
    until,
    isEnough = () => false,
  }: {
    path: string;
    query?: Record<string, string>;
    until: number;
    isEnough?: (last: z.infer<Row>) => boolean;
  },
  row: Row,
): Promise<Read<z.infer<Row>[]>> {
  const page = z.object({ data: z.array(row) });
  const rows = new Map<string, z.infer<Row>>();
  for (let from = 0; from <= LAST_FROM && performance.now() < until; from += PER_PAGE) {
    const request = { path, query: { ...query, from: String(from), limit: String(PER_PAGE) } };
    const answer = await read(api, access, request, page);
    if (answer.kind !== 'read') return answer;
    const data = answer.value?.data ?? [];
    for (const each of data) rows.set(each.id, each);
    const last = data.at(-1);
    if (last === undefined || data.length < PER_PAGE || isEnough(last))
      return { kind: 'read', value: [...rows.values()] };
  }
  return tooManyToSearch;
}

/**
 * Writes one record.
 * @param schema of the answer; its `id` is the record's.
 */
export async function write<Schema extends z.ZodMiniType<{ id: string }>>(
  api: HelpDeskApi,
  access: HelpDeskAccess,
  request: Omit<Parameters<HelpDeskApi>[1], 'method'>,
  schema: Schema,
): Promise<HelpDeskWrite<z.infer<Schema>>> {
  const answer = await api(access, { method: 'POST', ...request });
  if (answer.kind !== 'answered') return answer;
  const body = z.safeParse(schema, answer.body);
  return body.success ? { kind: 'written', ...body.data } : { kind: 'unknown', reason: UNREADABLE };
}
