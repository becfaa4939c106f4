import { isWritingOver } from '../../../domain/after-call/remote-writes/remote-writing.ts';
import type { LookupOutcome, NoEffect, Unavailable } from '../../../domain/after-call/remote-writes/write-outcome.ts';
import { contactFields, type TicketFields } from '../../../domain/after-call/tickets/help-desk-ticket.ts';
import { type RequestedTicket, ticketChange } from '../../../domain/after-call/tickets/ticket-change.ts';
import { callerName, namesTranscript, ticketOf } from '../../../domain/after-call/tickets/ticket-content.ts';
import { chooseContact } from '../../../domain/after-call/tickets/ticket-decision.ts';
import { ticketDeadlines } from '../../../domain/after-call/tickets/ticket-timing.ts';
import type { RemoteWrite, TicketItem } from '../../../domain/calls/call.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';
import type { HelpDeskTickets } from '../../../integrations/help-desk/tickets.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import { readTranscript } from '../remote-writes/read-transcript.ts';
import type { Ready, WriteStep } from '../remote-writes/write-once.ts';
import { type ContactLookupDeps, findContact } from './contact-lookup.ts';
import { type HelpDeskDeps, withHelpDesk } from './help-desk-of-ticket.ts';
import { takingContact, takingTicket, unclaimedTickets } from './ticket-claims.ts';
import type { GatheredTicket } from './ticket-facts.ts';
import { storeTicketMark, type TicketMarkDeps } from './ticket-mark.ts';

export type TicketStepDeps = HelpDeskDeps &
  ContactLookupDeps &
  TicketMarkDeps & {
    claims: Pick<ClaimStore, 'owners' | 'taking' | 'takingUnlessHeldSince'>;
    files: Pick<CallFiles, 'getTranscript'>;
    tickets: Pick<HelpDeskTickets, 'create' | 'find'>;
  };

/**
 * Creates the ticket itself, after its contact is settled. If no contact is known by then, the ticket creates the
 * contact, which requires the contact's claim.
 * @param isContactLookedUp whether this turn has looked the contact up already
 */
export function ticketStep(
  deps: TicketStepDeps,
  facts: GatheredTicket,
  isContactLookedUp: boolean,
): WriteStep<TicketItem, RequestedTicket> {
  const { call } = facts;
  return {
    name: 'ticket',
    known: call.ticket,
    since: call.finished_at,
    deadlineSeconds: ticketDeadlines.ticket,
    prepare: async () => {
      const fields = call.ticket_fields ?? (await renderTicket(deps, facts));
      if ('kind' in fields) return fields;
      return withHelpDesk(deps, facts, (access) => prepareTicket(deps, facts, { access, fields, isContactLookedUp }));
    },
    lookUp: () => withHelpDesk(deps, facts, (access) => findTicket(deps, facts, access)),
    store: (before, after, requested) =>
      storeTicketMark(deps, facts, 'ticket', before, after, {
        ...ticketChange(call, after, requested),
        claim: claimWith(deps, facts, after, requested),
      }),
  };
}

async function renderTicket(
  { files }: TicketStepDeps,
  { call, settings }: GatheredTicket,
): Promise<TicketFields | Unavailable> {
  if ('error' in settings) return { kind: 'unavailable', isOurs: true, reason: settings.error };
  if (!namesTranscript(settings)) return ticketOf(call, settings, undefined);
  const read = await readTranscript(files, call);
  return read.kind === 'read' ? ticketOf(call, settings, read.transcript) : read;
}

async function prepareTicket(
  deps: TicketStepDeps,
  facts: GatheredTicket,
  { access, fields, isContactLookedUp }: { access: HelpDeskAccess; fields: TicketFields; isContactLookedUp: boolean },
): Promise<Ready<RequestedTicket> | NoEffect> {
  const { call } = facts;
  const { ticket_contact: mark } = call;
  const contact = chooseContact({
    mark,
    // Another call, or this call's own request after all, may have created the contact since.
    found: mark?.id !== undefined || isContactLookedUp ? undefined : await findContact(deps, facts, access),
    inline: contactFields(callerName(call), call.phone_number),
    isGivenUp: isWritingOver(call.finished_at, deps.now(), ticketDeadlines.ticket_contact),
  });
  if ('kind' in contact) return contact;
  const requested = { fields, makesContact: 'contact' in contact };
  return {
    kind: 'ready',
    extra: requested,
    send: async () => {
      const outcome = await deps.tickets.create(access, fields, contact);
      if (outcome.kind !== 'written') return outcome;
      return { kind: 'written', id: outcome.id, extra: { ...requested, contactId: outcome.contactId } };
    },
  };
}

async function findTicket(
  deps: TicketStepDeps,
  facts: GatheredTicket,
  access: HelpDeskAccess,
): Promise<LookupOutcome<RequestedTicket>> {
  const { ticket_fields: fields, ticket, ticket_contact } = facts.call;
  if (!fields || !ticket) return { kind: 'impossible', reason: 'the text of the requested ticket is not stored' };
  const wanted = { ...fields, contactId: ticket_contact?.id, requestedAt: new Date(ticket.at) };
  const found = await deps.tickets.find(access, wanted, (ids) => unclaimedTickets(deps, facts, ids));
  if (found.kind !== 'found') return found;
  const [id] = found.ids;
  return id === undefined ? { kind: 'absent' } : { kind: 'found', id, extra: { fields, makesContact: false } };
}

/**
 * Returns the claim that is stored with a mark, because a ticket belongs to one call, and only one call creates a
 * phone's contact. If another call owns the claim, the mark is refused, and the next lookup skips that call's ticket.
 */
function claimWith(
  deps: TicketStepDeps,
  facts: GatheredTicket,
  after: RemoteWrite | undefined,
  requested: RequestedTicket | undefined,
): Write | undefined {
  if (after?.state === 'asked' && requested?.makesContact) return takingContact(deps, facts);
  return after?.id === undefined ? undefined : takingTicket(deps, facts, after.id);
}
