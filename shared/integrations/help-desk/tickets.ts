import * as z from 'zod/mini';
import { type ContactFields, isSameTicket, type TicketFields } from '../../domain/help-desk-ticket.ts';
import { plainText } from '../../domain/plain-text.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading, HelpDeskTicket, HelpDeskWrite } from './help-desk.ts';
import { idSchema, read, readAll, write } from './records.ts';
import { timeSchema } from './time.ts';

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
