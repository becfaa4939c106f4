import * as z from 'zod/mini';
import type { ReconnectNeeded } from '../../domain/connections/access/token-result.ts';
import type { CrmBAccess, CrmBAnswer, CrmBApi } from './api.ts';

/** The outcome of writing one record. */
export type CrmBWrite =
  | { kind: 'written'; id: string }
  /** A permanent refusal with the vendor's code. */
  | { kind: 'refused'; code: string }
  /** Nothing was written. `isOfRecord`: the record is locked, and CRM-B writes others. */
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number; isOfRecord?: true }
  | ReconnectNeeded
  /** The record may have been written. */
  | { kind: 'unknown'; reason: string; retryAfterSeconds?: number };

/** The outcome of a lookup. `absent`: every page was read. */
export type CrmBLookUp =
  | { kind: 'found'; id: string }
  | { kind: 'absent' }
  | { kind: 'refused'; code: string }
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number }
  | ReconnectNeeded;

/** Each item has its own status, even in a 2xx (Zoho CRM v8, "Insert Records"). */
const receipts = z.object({
  data: z.array(
    z.object({
      code: z.string(),
      status: z.string(),
      details: z.optional(z.object({ id: z.optional(z.string()) })),
    }),
  ),
});

const page = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  info: z.object({ more_records: z.boolean() }),
});

const PER_PAGE = 200;
/** Further pages require another parameter (Zoho CRM v8, "Get Related Records"). No lead has that many records. */
const MAX_PAGES = 10;
const LOOKUP_TIMEOUT_MS = 20_000;

/** Writes one record without triggering workflows of the CRM. */
export async function writeRecord(
  api: CrmBApi,
  access: CrmBAccess,
  path: string,
  record: Record<string, unknown>,
): Promise<CrmBWrite> {
  const answer = await api(access, { method: 'POST', path, json: { data: [record], trigger: [] } });
  if (answer.kind === 'refused') return readRefusal(answer);
  if (answer.kind !== 'answered') return answer;
  const item = z.safeParse(receipts, answer.body).data?.data[0];
  if (item?.status === 'success' && item.details?.id) return { kind: 'written', id: item.details.id };
  if (item?.status === 'error') return readCode(item.code);
  return { kind: 'unknown', reason: 'an answer that cannot be read' };
}

/** Searches all pages of a lead's related list for a record whose `field` ends with `ending`. */
export async function findRelated(
  api: CrmBApi,
  access: CrmBAccess,
  { path, field, ending }: { path: string; field: string; ending: string },
): Promise<CrmBLookUp> {
  const until = performance.now() + LOOKUP_TIMEOUT_MS;
  for (let number = 1; number <= MAX_PAGES && performance.now() < until; number += 1) {
    const query = { fields: field, page: String(number), per_page: String(PER_PAGE) };
    const answer = await api(access, { method: 'GET', path, query });
    if (answer.kind === 'refused') return readRefusal(answer);
    if (answer.kind === 'unknown') return { ...answer, kind: 'unavailable' };
    if (answer.kind !== 'answered') return answer;
    // A 204: no records or no further page.
    if (answer.body === undefined) return { kind: 'absent' };
    const read = z.safeParse(page, answer.body);
    if (!read.success) return { kind: 'unavailable', reason: 'an answer that cannot be read' };
    const { data, info } = read.data;
    const found = data.find((record) => String(record[field] ?? '').endsWith(ending));
    if (found) return { kind: 'found', id: found.id };
    if (!info.more_records) return { kind: 'absent' };
  }
  return { kind: 'unavailable', reason: 'the lookup has too many pages or takes too long' };
}

/** Distinguishes a refused record from a refused token. */
export function readRefusal({
  status,
  code,
}: Extract<CrmBAnswer, { kind: 'refused' }>):
  | { kind: 'refused'; code: string }
  | { kind: 'unavailable'; reason: string; isOfRecord?: true } {
  const named = code ?? `status ${status}`;
  // A new token may be accepted. A missing scope requires a new consent.
  if (status === 401 && code !== 'OAUTH_SCOPE_MISMATCH')
    return { kind: 'unavailable', reason: `the access token is refused: ${named}` };
  return readCode(named);
}

/** A record is locked while a person or an approval works on it. */
const readCode = (code: string): ReturnType<typeof readRefusal> =>
  code === 'RECORD_LOCKED' ? { kind: 'unavailable', reason: code, isOfRecord: true } : { kind: 'refused', code };
