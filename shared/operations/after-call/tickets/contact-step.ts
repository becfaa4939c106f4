import { contactFields } from '../../../domain/after-call/tickets/help-desk-ticket.ts';
import { callerName } from '../../../domain/after-call/tickets/ticket-content.ts';
import { ticketDeadlines } from '../../../domain/after-call/tickets/ticket-timing.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import { type ContactLookupDeps, findContact } from './contact-lookup.ts';
import { type HelpDeskDeps, withHelpDesk } from './help-desk-of-ticket.ts';
import { takingContact } from './ticket-claims.ts';
import type { GatheredTicket } from './ticket-facts.ts';
import { storeTicketMark, type TicketMarkDeps, type TicketStep } from './ticket-mark.ts';

export type ContactStepDeps = HelpDeskDeps &
  ContactLookupDeps &
  TicketMarkDeps & { claims: Pick<ClaimStore, 'takingUnlessHeldSince'> };

/** Returns the step that finds or creates the ticket's contact. */
export function contactStep(deps: ContactStepDeps, facts: GatheredTicket): TicketStep {
  const { call } = facts;
  return {
    name: 'ticket_contact',
    known: call.ticket_contact,
    since: call.finished_at,
    deadlineSeconds: ticketDeadlines.ticket_contact,
    prepare: () =>
      withHelpDesk(deps, facts, async (access) => {
        const found = await findContact(deps, facts, access);
        if (found.kind !== 'absent') return found;
        const contact = contactFields(callerName(call), call.phone_number);
        return {
          kind: 'ready',
          extra: { claim: takingContact(deps, facts) },
          send: () => deps.contacts.create(access, contact),
        };
      }),
    lookUp: () => withHelpDesk(deps, facts, (access) => findContact(deps, facts, access)),
    store: (...change) => storeTicketMark(deps, facts, 'ticket_contact', ...change),
  };
}
