import type { Call, RemoteWrite, TicketItem } from '../calls/call.ts';
import { secondsAfter } from '../time/instants.ts';
import { WRITING_DEADLINE_SECONDS } from './remote-writing.ts';

/** When a ticket's status is read once more (interface, Limits: "help-desk status poll"). */
const REFRESH_AFTER_SECONDS = 15 * 60;

const DAY_SECONDS = 24 * 60 * 60;

/**
 * How long an item is tried, from when it could first be written. A contact that cannot be looked up or made goes inline with
 * the ticket after two days; the refresh is of no use hours later.
 */
export const ticketDeadlines: Record<TicketItem, number> = {
  ticket_contact: 2 * DAY_SECONDS,
  ticket: WRITING_DEADLINE_SECONDS,
  ticket_tags: DAY_SECONDS,
  ticket_recording: DAY_SECONDS,
  ticket_transcript: DAY_SECONDS,
  ticket_refresh: REFRESH_AFTER_SECONDS,
};

/** In whole seconds, as schedules count. @param createdAt ISO 8601. @returns ISO 8601. */
export function refreshTime(createdAt: string): string {
  const wholeSecond = new Date(Math.ceil(Date.parse(createdAt) / 1000) * 1000);
  return secondsAfter(wholeSecond, REFRESH_AFTER_SECONDS);
}

/** Who has this has the ticket: of two calls that said the same, each has its own. */
export const ticketClaimKey = (connectionId: string, ticketId: string): string => `ticket#${connectionId}#${ticketId}`;

/** Who has this may make the contact of a phone: of two calls to it at once, one does. */
export const contactClaimKey = (connectionId: string, phone: string): string =>
  `ticket-contact#${connectionId}#${phone}`;

/** Longer than a request whose answer was lost takes to be settled, and than the help desk's search may lag behind. */
export const CONTACT_CLAIM_SECONDS = 15 * 60;

/** A ticket as it was read at the help desk; what it does not tell is absent. */
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
 * @returns the call's metadata with what its ticket is now (interface, "States and transitions", the single poll). What the
 * ticket does not tell any more, such as an assignee, is gone from it.
 */
export function withTicket(metadata: Call['metadata'], ticket: ReadTicket): Record<string, string> {
  const told = {
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
  const merged = Object.entries({ ...metadata, ...told });
  return Object.fromEntries(merged.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

type TicketOfCall = Pick<Call, TicketItem | 'ticket_work' | 'ticket_error' | 'ticket_refresh_at' | 'metadata'>;

export type TicketStep = { step: string; ok: boolean; error: string | null };

/** @returns a call's ticket as an operator sees it; null where it is none of the help desk's. */
export function viewTicket(call: TicketOfCall) {
  const { ticket, ticket_work, ticket_error, metadata = {} } = call;
  if (!ticket_work) return null;
  return {
    ticket_id: ticket?.id ?? null,
    status: (ticket?.id && metadata.ticket_status) || null,
    priority: (ticket?.id && metadata.ticket_priority) || null,
    error: [ticket?.error, ticket_error].filter((error) => error !== undefined).join('; ') || null,
    refresh_at: call.ticket_refresh_at ?? null,
    steps: steps.flatMap(([step, item]) => viewStep(step, call[item])),
  };
}

const steps: [step: string, item: TicketItem][] = [
  ['contact', 'ticket_contact'],
  ['ticket', 'ticket'],
  ['tags', 'ticket_tags'],
  ['recording', 'ticket_recording'],
  ['transcript', 'ticket_transcript'],
  ['refresh', 'ticket_refresh'],
];

/** What was not wanted, or is not through yet, is no step. */
function viewStep(step: string, mark: RemoteWrite | undefined): TicketStep[] {
  if (!mark || mark.state === 'asked' || mark.state === 'none') return [];
  return [{ step, ok: mark.state === 'written', error: mark.error ?? null }];
}
