import * as z from 'zod/mini';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { type CrmBReading, readFrom } from './read.ts';

/** The maximum rows of one query (Zoho CRM v8, "COQL limitations"). */
const MAX_ROWS = 2000;

/** Paging aborts with this reason if it stops advancing. */
const STANDSTILL = 'the pages do not advance';

export type ChangedLead = { id: string; created_at: string; modified_at: string };

export type ChangedLeads =
  /** Ordered by change, oldest first. `complete`: the span has no further leads. */
  { kind: 'found'; leads: ChangedLead[]; complete: boolean } | { kind: 'unavailable'; reason: string };

export type LeadIds =
  /** In ascending order. `next`: the id after which the next page begins; absent on the last page. */
  { kind: 'found'; ids: string[]; next?: string } | Exclude<CrmBReading, { kind: 'answered' }>;

/** A 64-bit number as a string: a JSON number would lose digits. */
const recordId = z.string().check(z.regex(/^\d{1,19}$/));
const time = z.iso.datetime({ offset: true });
const changedRow = z.object({ id: recordId, Created_Time: time, Modified_Time: time });
const idRow = z.object({ id: recordId });

/**
 * Queries the leads that were created or edited within a span, both ends included.
 * @param most maximum number of leads
 * @returns `unavailable` if any page failed
 */
export async function leadsChangedBetween(
  api: CrmBApi,
  access: CrmBAccess,
  { from, to }: { from: Date; to: Date },
  most: number,
): Promise<ChangedLeads> {
  const leads: ChangedLead[] = [];
  for (let since = `Modified_Time >= ${timeLiteral(from)}`; ; ) {
    const limit = Math.min(MAX_ROWS, most - leads.length);
    const page = await rowsOf(api, access, changedRow, limit, {
      columns: 'id, Created_Time, Modified_Time',
      where: `(${since} and Modified_Time <= ${timeLiteral(to)})`,
      orderBy: 'Modified_Time asc, id asc',
    });
    if (page.kind !== 'found') return { kind: 'unavailable', reason: page.reason };
    const known = new Set(leads.map(({ id }) => id));
    // A lead that is edited during paging appears again.
    for (const { id, Created_Time, Modified_Time } of page.rows)
      if (!known.has(id)) leads.push({ id, created_at: utc(Created_Time), modified_at: utc(Modified_Time) });
    const last = page.rows.at(-1);
    if (!page.more || !last || leads.length >= most) return { kind: 'found', leads, complete: !page.more };
    const at = timeLiteral(new Date(last.Modified_Time));
    const next = `(Modified_Time > ${at} or (Modified_Time = ${at} and id > ${last.id}))`;
    if (next === since) return { kind: 'unavailable', reason: STANDSTILL };
    since = next;
  }
}

/**
 * Queries one page of an owner's leads whose field has this value. Pages use ids because offsets end at 100,000 rows.
 * @param wanted.field the API name of the field
 * @param wanted.after `next` of the previous page
 * @throws RangeError if `field` or `after` is malformed
 */
export async function leadsWithDisposition(
  api: CrmBApi,
  access: CrmBAccess,
  { field, value, ownerId, after = '0' }: { field: string; value: string; ownerId: string; after?: string },
): Promise<LeadIds> {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(field)) throw new RangeError('not the name of a field');
  if (!/^\d+$/.test(after)) throw new RangeError('not the id of a record');
  const page = await rowsOf(api, access, idRow, MAX_ROWS, {
    columns: 'id',
    where: `((${field} = ${literal(value)} and Owner = ${literal(ownerId)}) and id > ${after})`,
    orderBy: 'id asc',
  });
  if (page.kind !== 'found') return page;
  const ids = page.rows.map(({ id }) => id);
  const next = page.more ? ids.at(-1) : undefined;
  if (next !== undefined && BigInt(next) <= BigInt(after)) return { kind: 'unavailable', reason: STANDSTILL };
  return { kind: 'found', ids, ...(next !== undefined && { next }) };
}

/** Quotes a text and doubles its apostrophes (Zoho, Kaizen 171, 3). */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Formats an instant without milliseconds, which COQL rejects. */
const timeLiteral = (instant: Date): string => `'${instant.toISOString().slice(0, 19)}+00:00'`;

const utc = (text: string): string => new Date(text).toISOString();

type Rows<Row> = { kind: 'found'; rows: Row[]; more: boolean } | Exclude<CrmBReading, { kind: 'answered' }>;

/** Runs one query. The caller groups more than two criteria in pairs (Zoho, Kaizen 171, 2). */
async function rowsOf<Row>(
  api: CrmBApi,
  access: CrmBAccess,
  row: z.ZodMiniType<Row>,
  limit: number,
  { columns, where, orderBy }: { columns: string; where: string; orderBy: string },
): Promise<Rows<Row>> {
  const select_query = `select ${columns} from Leads where ${where} order by ${orderBy} limit ${limit}`;
  const reading = await readFrom(api, access, { method: 'POST', path: '/crm/v8/coql', json: { select_query } });
  if (reading.kind !== 'answered') return reading;
  if (reading.body === undefined) return { kind: 'found', rows: [], more: false };
  const answer = z.safeParse(
    z.object({ data: z.array(row), info: z.object({ more_records: z.boolean() }) }),
    reading.body,
  );
  if (!answer.success) return { kind: 'unavailable', reason: 'the answer cannot be read' };
  return { kind: 'found', rows: answer.data.data, more: answer.data.info.more_records };
}
