import { withTicket } from '../../../domain/after-call/tickets/ticket-change.ts';
import { refreshDueAt, type WrittenTicket } from '../../../domain/after-call/tickets/ticket-decision.ts';
import { ticketDeadlines } from '../../../domain/after-call/tickets/ticket-timing.ts';
import type { HelpDeskTickets } from '../../../integrations/help-desk/tickets.ts';
import { type HelpDeskDeps, withHelpDesk } from './help-desk-of-ticket.ts';
import type { GatheredTicket } from './ticket-facts.ts';
import { storeTicketMark, type TicketMarkDeps, type TicketStep } from './ticket-mark.ts';

export type RefreshDeps = HelpDeskDeps & TicketMarkDeps & { tickets: Pick<HelpDeskTickets, 'get'> };

/** Reads the ticket once, a quarter of an hour after it was created, into the call's metadata. */
export function refreshStep(deps: RefreshDeps, facts: GatheredTicket, ticket: WrittenTicket): TicketStep {
  const { call } = facts;
  return {
    name: 'ticket_refresh',
    known: call.ticket_refresh,
    since: refreshDueAt(call, ticket),
    deadlineSeconds: ticketDeadlines.ticket_refresh,
    prepare: () =>
      withHelpDesk(deps, facts, async (access) => {
        const read = await deps.tickets.get(access, ticket.id);
        if (read.kind === 'absent') return { kind: 'impossible', reason: 'the ticket is gone' };
        if (read.kind !== 'found') return read;
        // The answer for a ticket that was merged into another has the other ticket's id.
        const metadata = withTicket(call.metadata, { ...read.ticket, id: ticket.id });
        return { kind: 'found', id: ticket.id, extra: { set: { metadata } } };
      }),
    store: (...change) => storeTicketMark(deps, facts, 'ticket_refresh', ...change),
  };
}
