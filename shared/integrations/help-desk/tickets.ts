import * as z from 'zod/mini';
import { type ContactFields, isSameTicket, type TicketFields } from '../../domain/help-desk-ticket.ts';
import { plainText } from '../../domain/plain-text.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading, HelpDeskTicket, HelpDeskWrite } from './help-desk.ts';
import { byAge, idSchema, read, readAll, timeSchema, write } from './records.ts';

export type HelpDeskTickets = ReturnType<typeof helpDeskTickets>;

/** Whom a ticket is about: a contact that is there, or one that comes into being with it. */
export type TicketContact = { contactId: string } | { contact: ContactFields };

/** The ticket that is looked for: which it is not known whether it was created. */
export type TicketSearch = Pick<TicketFields, 'departmentId' | 'subject' | 'description' | 'phone'> & {
  /** Absent where the contact was to come into being with the ticket. */
  contactId?: string | undefined;
  /** Between which instants it was asked for; the look goes five minutes beyond both, for clocks differ. */
  since: Date;
  until: Date;
};

const MOST_TEXT_CHARACTERS = 200;
const WIDENED_MS = 5 * 60 * 1000;
/** Each is a request; nobody has so many alike within some minutes. */
const MOST_CANDIDATES = 20;

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
   * @param fields from `ticketFields` (domain/help-desk-ticket.ts).
   * @returns with the contact's id, where the help desk tells it. @throws ReconnectNeeded, AccessUnavailable; then nothing was written.
   */
  create: (
    access: HelpDeskAccess,
    fields: TicketFields,
    contact: TicketContact,
  ): Promise<HelpDeskWrite<{ contactId?: string | undefined }>> =>
    write(api, access, { path: '/api/v1/tickets', json: bodyOf(fields, contact) }, createdTicket),

  /**
   * Looks for all tickets that say the same (GET /api/v1/tickets/search).
   * @returns the ids of all of them, the oldest first. @throws ReconnectNeeded, AccessUnavailable.
   */
  find: (access: HelpDeskAccess, wanted: TicketSearch): Promise<HelpDeskReading<{ ids: string[] }>> =>
    findTickets(api, access, wanted),

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
): Promise<HelpDeskReading<{ ids: string[] }>> {
  const { contactId, departmentId, since, until } = wanted;
  const createdTimeRange = [since.getTime() - WIDENED_MS, until.getTime() + WIDENED_MS]
    .map((time) => new Date(time).toISOString())
    .join();
  const query = { ...(contactId === undefined ? { departmentId } : { contactId }), createdTimeRange };
  const all = await readAll(api, access, { path: '/api/v1/tickets/search', query }, ticketTexts);
  if (all.kind !== 'read') return all;
  // A search may shorten what it shows, or leave it out.
  const candidates = all.value.filter(({ subject, phone }) => isSameTicket(wanted, { subject, phone }));
  if (candidates.length > MOST_CANDIDATES) return { kind: 'unavailable', reason: 'too many tickets alike' };

  const same: string[] = [];
  for (const { id, description, ...row } of candidates.sort(byAge)) {
    if (description !== undefined && isSameTicket(wanted, { ...row, description })) same.push(id);
    else {
      const whole = await read(api, access, { path: `/api/v1/tickets/${id}` }, ticketTexts);
      // Deleted since the search.
      if (whole.kind === 'refused' && whole.status === 404) continue;
      if (whole.kind !== 'read') return whole;
      if (whole.value && isSameTicket(wanted, whole.value)) same.push(id);
    }
  }
  return same.length ? { kind: 'found', ids: same } : { kind: 'absent' };
}
