import type { Call } from '../../calls/call.ts';

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
