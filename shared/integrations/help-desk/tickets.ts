import * as z from 'zod/mini';
import {
  type ContactFields,
  isSameTicket,
  type TicketContact,
  type TicketFields,
} from '../../domain/after-call/tickets/help-desk-ticket.ts';
import { plainText } from '../../domain/text/plain-text.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading, HelpDeskTicket, HelpDeskWrite } from './help-desk.ts';
import { byAge, idSchema, lookupEnd, read, readAll, timeSchema, tooManyToSearch, write } from './records.ts';

export type HelpDeskTickets = ReturnType<typeof helpDeskTickets>;

/** A ticket whose request has an unknown outcome. */
export type TicketSearch = Pick<TicketFields, 'departmentId' | 'subject' | 'description' | 'phone'> & {
  /** Absent if the request was also to create the contact. */
  contactId?: string | undefined;
  /** The lookup covers five minutes before and after it, because clocks differ. */
  requestedAt: Date;
};

type FreeOf = (ids: string[]) => Promise<string[]>;

const MAX_TEXT_CHARACTERS = 200;
const CLOCKS_MS = 5 * 60 * 1000;

/** Refusals that may concern the phone of a ticket's contact. */
const phoneRefusals: ReadonlySet<string> = new Set(['INVALID_DATA /contact/phone', 'UNPROCESSABLE_ENTITY']);

const createdTicket = z.object({ id: idSchema, contactId: z.catch(z.optional(idSchema), undefined) });

/** null: the value is empty; undefined: the help desk does not show it. */
const shownText = z.catch(z.nullish(z.string()), undefined);
const ticketTexts = z.object({
  id: idSchema,
  subject: shownText,
  description: shownText,
  phone: shownText,
  createdTime: timeSchema,
});

type TicketRow = z.infer<typeof ticketTexts>;

/** Only an invalid id fails the reading of a ticket. */
const text = z.pipe(
  shownText,
  z.transform((value) => (value ? plainText(value, MAX_TEXT_CHARACTERS) : undefined)),
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

/** Accesses the tickets of the help desk. */
export const helpDeskTickets = (api: HelpDeskApi) => ({
  /**
   * Opens a ticket (POST /api/v1/tickets). Sends no tags, because some accounts refuse them here. A refusal had no
   * effect, so if it may concern the phone of the contact, the request is sent once more without it: the vendor's
   * OpenAPI does not know that member, its documentation does.
   * @param fields from `ticketFields` (domain/after-call/tickets/help-desk-ticket.ts).
   * @returns the ticket's id, and the contact's id if the help desk sends it.
   */
  async create(
    access: HelpDeskAccess,
    fields: TicketFields,
    contact: TicketContact,
  ): Promise<HelpDeskWrite<{ contactId?: string | undefined }>> {
    const send = (given: TicketContact | { contact: Omit<ContactFields, 'phone'> }) =>
      write(api, access, { path: '/api/v1/tickets', json: bodyOf(fields, given) }, createdTicket);
    const outcome = await send(contact);
    if (outcome.kind !== 'refused' || !('contact' in contact) || !phoneRefusals.has(outcome.code)) return outcome;
    const { phone: _, ...names } = contact.contact;
    return send({ contact: names });
  },

  /**
   * Looks up all tickets with the same texts (GET /api/v1/tickets/search). The search may lag, so if it finds no free
   * ticket, also reads the contact's list (GET /api/v1/contacts/{id}/tickets) or, without a contact, the department's
   * list (GET /api/v1/tickets).
   * @param freeOf returns the tickets that belong to no other call; absent if all are free.
   * @returns the ids of free tickets, the oldest first.
   * @throws the errors of `freeOf`.
   */
  find: (
    access: HelpDeskAccess,
    wanted: TicketSearch,
    freeOf: FreeOf = (ids) => Promise.resolve(ids),
  ): Promise<HelpDeskReading<{ ids: string[] }>> => findTickets(api, access, wanted, freeOf),

  /** Reads a ticket. @returns `absent` if the ticket is gone. */
  async get(access: HelpDeskAccess, id: string): Promise<HelpDeskReading<{ ticket: HelpDeskTicket }>> {
    const answer = await read(api, access, { path: `/api/v1/tickets/${id}` }, ticketSchema);
    if (answer.kind === 'refused' && answer.status === 404) return { kind: 'absent' };
    if (answer.kind !== 'read') return answer;
    return answer.value ? { kind: 'found', ticket: answer.value } : { kind: 'absent' };
  },
});

function bodyOf({ description, ...fields }: TicketFields, contact: object): Record<string, unknown> {
  return { ...fields, ...(description && { description }), ...contact, status: 'Open', channel: 'Phone' };
}

async function findTickets(
  api: HelpDeskApi,
  access: HelpDeskAccess,
  wanted: TicketSearch,
  freeOf: FreeOf,
): Promise<HelpDeskReading<{ ids: string[] }>> {
  const { contactId, departmentId } = wanted;
  const until = lookupEnd();
  const created = [-CLOCKS_MS, CLOCKS_MS].map((shift) =>
    new Date(wanted.requestedAt.getTime() + shift).toISOString(),
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
          // The newest tickets come first.
          isEnough: ({ createdTime = first }: TicketRow) => createdTime < first,
        }
      : { path: `/api/v1/contacts/${contactId}/tickets` };
  const listed = await readAll(api, access, { ...list, until }, ticketTexts);
  // The contact is gone, or this user may not see its list, so only the search decides.
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

/** Selects the tickets with the same texts. A search or a list may shorten or omit the description. */
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
    if (performance.now() >= until) return tooManyToSearch;
    const whole = await read(api, access, { path: `/api/v1/tickets/${id}` }, ticketTexts);
    // The ticket has been deleted since.
    if (whole.kind === 'refused' && whole.status === 404) continue;
    if (whole.kind !== 'read') return whole;
    if (whole.value && isSameTicket(wanted, whole.value)) ids.push(id);
  }
  return ids.length ? { kind: 'found', ids } : { kind: 'absent' };
}
