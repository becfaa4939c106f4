import type { Call, RemoteWrite } from '../../calls/call.ts';
import type { TicketFields } from './help-desk-ticket.ts';
import { refreshTime } from './ticket-timing.ts';

/** Facts about a requested ticket besides its mark. */
export type RequestedTicket = {
  fields: TicketFields;
  /** Whether the request creates the contact, too. */
  makesContact: boolean;
  /** The contact that the request created, if the help desk has returned its id. */
  contactId?: string | undefined;
};

/** Attributes of the call that change in the same transaction as the mark of its ticket. */
export type TicketChange = { set?: Readonly<Partial<Call>>; remove?: readonly (keyof Call)[] };

/**
 * Returns the changes that belong to a ticket's mark. The ticket's text is stored from its request until it is settled,
 * because a lookup must search for the same text even if settings or analysis have changed.
 * @param after the ticket's mark. @param requested absent if a mark changes without a request or a record.
 */
export function ticketChange(
  { metadata }: Pick<Call, 'metadata'>,
  after: RemoteWrite | undefined,
  requested: RequestedTicket | undefined,
): TicketChange {
  // The request was not carried out, so no lookup needs its text, and the next request uses the present settings.
  if (!after) return { remove: ['ticket_fields'] };
  if (after.state === 'asked') return requested ? { set: { ticket_fields: requested.fields } } : {};
  if (after.id === undefined) return { remove: ['ticket_fields'] };
  const contactId = requested?.makesContact ? requested.contactId : undefined;
  return {
    set: {
      ticket_refresh_at: refreshTime(after.at),
      metadata: withTicket(metadata, { id: after.id, status: 'Open', priority: requested?.fields.priority }),
      ...(contactId !== undefined && { ticket_contact: { state: 'written', at: after.at, id: contactId } }),
    },
    remove: ['ticket_fields'],
  };
}

/** A ticket as read at the help desk, without the values that the help desk hides. */
type ReadTicket = {
  id: string;
  ticketNumber?: string | undefined;
  status?: string | undefined;
  statusType?: string | undefined;
  priority?: string | undefined;
  assigneeId?: string | undefined;
  webUrl?: string | undefined;
  modifiedTime?: string | undefined;
  closedTime?: string | undefined;
};

/**
 * Merges the ticket's state into its call's metadata (docs/help-desk.md, "Status refresh"). Removes values that the
 * ticket no longer shows, such as an assignee.
 */
export function withTicket(metadata: Call['metadata'], ticket: ReadTicket): Record<string, string> {
  const shown = {
    ticket_id: ticket.id,
    ticket_number: ticket.ticketNumber,
    ticket_status: ticket.status,
    ticket_status_type: ticket.statusType,
    ticket_priority: ticket.priority,
    ticket_assignee_id: ticket.assigneeId,
    ticket_url: ticket.webUrl,
    ticket_modified_at: ticket.modifiedTime,
    ticket_closed_at: ticket.closedTime,
  };
  const merged = Object.entries({ ...metadata, ...shown });
  return Object.fromEntries(merged.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
