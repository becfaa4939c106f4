import * as z from 'zod/mini';
import { isSameTicket, type TicketContact, type TicketFields } from '../../domain/after-call/help-desk-ticket.ts';
import { plainText } from '../../domain/text/plain-text.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading, HelpDeskTicket, HelpDeskWrite } from './help-desk.ts';
import { byAge, idSchema, lookUntil, read, readAll, timeSchema, tooMuchToLookThrough, write } from './records.ts';

export type HelpDeskTickets = ReturnType<typeof helpDeskTickets>;

/** The ticket that is looked for: which it is not known whether it was created. */
export type TicketSearch = Pick<TicketFields, 'departmentId' | 'subject' | 'description' | 'phone'> & {
  /** Absent where the contact was to come into being with the ticket. */
  contactId?: string | undefined;
  /** Between which instants it was asked for; the look goes five minutes beyond both, for clocks differ. */
  since: Date;
  until: Date;
};

type FreeOf = (ids: string[]) => Promise<string[]>;

const MOST_TEXT_CHARACTERS = 200;
const WIDENED_MS = 5 * 60 * 1000;

const createdTicket = z.object({ id: idSchema, contactId: z.catch(z.optional(idSchema), undefined) });

/** null and undefined are told apart: empty, and not shown. */
const shownText = z.catch(z.nullish(z.string()), undefined);
const ticketTexts = z.object({
  id: idSchema,
  subject: shownText,
  description: shownText,
  phone: shownText,
  createdTime: timeSchema,
});

type TicketRow = z.infer<typeof ticketTexts>;

/** Nothing that is told here is worth failing for but the id. */
const text = z.pipe(
  shownText,
  z.transform((value) => (value ? plainText(value, MOST_TEXT_CHARACTERS) : undefined)),
);
const ticketSchema = z.object({
  id: idSchema,
  ticketNumber: text,
  status: text,
  statusType: text,
  priority: text,
  classification: text,
  assigneeId: z.catch(z.optional(idSchema), undefined),
  webUrl: z.catch(z.optional(z.string().check(z.regex(/^https?:\/\/\S{1,2000}$/))), undefined),
  createdTime: timeSchema,
  modifiedTime: timeSchema,
  closedTime: timeSchema,
});

/** The tickets of the help desk. */
export const helpDeskTickets = (api: HelpDeskApi) => ({
  /**
   * Opens a ticket (POST /api/v1/tickets). Tags are none of its fields: some accounts refuse them.
   * @param fields from `ticketFields` (domain/after-call/help-desk-ticket.ts).
   * @returns with the contact's id, where the help desk tells it. @throws ReconnectNeeded, AccessUnavailable; then nothing was written.
   */
  create: (
    access: HelpDeskAccess,
    fields: TicketFields,
    contact: TicketContact,
  ): Promise<HelpDeskWrite<{ contactId?: string | undefined }>> =>
    write(api, access, { path: '/api/v1/tickets', json: bodyOf(fields, contact) }, createdTicket),

  /**
   * Looks for all tickets that say the same (GET /api/v1/tickets/search); where the search finds none that is free, also in the
   * list of the contact (GET /api/v1/contacts/{id}/tickets), or without one in that of the department (GET /api/v1/tickets):
   * a search may know of a ticket only a while after it was made.
   * @param freeOf which of these are nobody else's; absent = all.
   * @returns the ids of all that are free, the oldest first. @throws ReconnectNeeded, AccessUnavailable, what `freeOf` throws.
   */
  find: (
    access: HelpDeskAccess,
    wanted: TicketSearch,
    freeOf: FreeOf = (ids) => Promise.resolve(ids),
  ): Promise<HelpDeskReading<{ ids: string[] }>> => findTickets(api, access, wanted, freeOf),

  /** @returns `absent` where it is gone. @throws ReconnectNeeded, AccessUnavailable. */
  async get(access: HelpDeskAccess, id: string): Promise<HelpDeskReading<{ ticket: HelpDeskTicket }>> {
    const answer = await read(api, access, { path: `/api/v1/tickets/${id}` }, ticketSchema);
    if (answer.kind === 'refused' && answer.status === 404) return { kind: 'absent' };
    if (answer.kind !== 'read') return answer;
    return answer.value ? { kind: 'found', ticket: answer.value } : { kind: 'absent' };
  },
});

function bodyOf({ description, ...fields }: TicketFields, contact: TicketContact): Record<string, unknown> {
  return { ...fields, ...(description && { description }), ...contact, status: 'Open', channel: 'Phone' };
}

async function findTickets(
  api: HelpDeskApi,
  access: HelpDeskAccess,
  wanted: TicketSearch,
  freeOf: FreeOf,
): Promise<HelpDeskReading<{ ids: string[] }>> {
  const { contactId, departmentId } = wanted;
  const until = lookUntil();
  const created = [wanted.since.getTime() - WIDENED_MS, wanted.until.getTime() + WIDENED_MS].map((time) =>
    new Date(time).toISOString(),
  ) as [string, string];
  const query = { ...(contactId === undefined ? { departmentId } : { contactId }), createdTimeRange: created.join() };
  const searched = await readAll(api, access, { path: '/api/v1/tickets/search', query, until }, ticketTexts);
  if (searched.kind !== 'read') return searched;
  const freeAmong = async (rows: TicketRow[]) => free(await sameOf(api, access, wanted, rows, until), freeOf);
  const found = await freeAmong(searched.value);
  if (found.kind !== 'absent') return found;

  const [first, last] = created;
  const list =
    contactId === undefined
      ? {
          path: '/api/v1/tickets',
          query: { departmentId, sortBy: '-createdTime' },
          // The newest come first.
          isEnough: ({ createdTime = first }: TicketRow) => createdTime < first,
        }
      : { path: `/api/v1/contacts/${contactId}/tickets` };
  const listed = await readAll(api, access, { ...list, first: 1, until }, ticketTexts);
  // Gone, or not to be seen by this user: the search has told what can be told.
  if (listed.kind === 'refused') return found;
  if (listed.kind !== 'read') return listed;
  return freeAmong(listed.value.filter(({ createdTime = first }) => createdTime >= first && createdTime <= last));
}

async function free(
  same: HelpDeskReading<{ ids: string[] }>,
  freeOf: FreeOf,
): Promise<HelpDeskReading<{ ids: string[] }>> {
  if (same.kind !== 'found') return same;
  const ids = await freeOf(same.ids);
  return ids.length > 0 ? { kind: 'found', ids } : { kind: 'absent' };
}

/** Those that say the same. A search or list may shorten a description, or leave it out. */
async function sameOf(
  api: HelpDeskApi,
  access: HelpDeskAccess,
  wanted: TicketSearch,
  rows: TicketRow[],
  until: number,
): Promise<HelpDeskReading<{ ids: string[] }>> {
  const candidates = rows.filter(({ subject, phone }) => isSameTicket(wanted, { subject, phone })).sort(byAge);
  const ids: string[] = [];
  for (const row of candidates) {
    const { id } = row;
    if (row.description !== undefined && isSameTicket(wanted, row)) {
      ids.push(id);
      continue;
    }
    if (performance.now() >= until) return tooMuchToLookThrough;
    const whole = await read(api, access, { path: `/api/v1/tickets/${id}` }, ticketTexts);
    // Deleted meanwhile.
    if (whole.kind === 'refused' && whole.status === 404) continue;
    if (whole.kind !== 'read') return whole;
    if (whole.value && isSameTicket(wanted, whole.value)) ids.push(id);
  }
  return ids.length ? { kind: 'found', ids } : { kind: 'absent' };
}
