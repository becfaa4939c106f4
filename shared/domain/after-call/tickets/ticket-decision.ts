import type { Call, RemoteWrite, TicketItem } from '../../calls/call.ts';
import type { LookupOutcome, NoEffect } from '../remote-writes/write-outcome.ts';
import type { ContactFields, TicketContact } from './help-desk-ticket.ts';
import { type HelpDeskSettings, whyNoTicket } from './ticket-content.ts';
import { refreshTime } from './ticket-timing.ts';

type TicketCall = Pick<
  Call,
  'status' | 'analysis' | 'ticket_fields' | 'ticket_organization' | 'ticket_refresh_at' | TicketItem
>;

/** The facts that decide about a finished call's ticket. */
export type TicketFacts = {
  call: TicketCall;
  /** The settings of the help-desk connection, or the reason why they cannot be used. */
  settings: HelpDeskSettings | { error: string };
  /** The help desk's organization that the connection now names; undefined if none is chosen. */
  organization: string | undefined;
};

export type TicketDecision =
  /** The work ends without a request, and this is the ticket's mark. */
  | ({ kind: 'no_ticket' } & NoTicket)
  /** Contact and text belong to another organization of the help desk, and no ticket was requested. */
  | { kind: 'start_over' }
  | { kind: 'write'; item: 'ticket_contact' | 'ticket' }
  | { kind: 'follow_up'; item: FollowUp; ticket: WrittenTicket }
  /** Only the refresh is left, due at this instant, ISO 8601. */
  | { kind: 'refresh_later'; dueAt: string }
  /** This turn can do no more. */
  | { kind: 'end_turn' };

/** A follow-up of a ticket; its failure never affects the ticket. */
const followUps = ['ticket_tags', 'ticket_recording', 'ticket_transcript', 'ticket_refresh'] as const;
export type FollowUp = (typeof followUps)[number] & TicketItem;

/** A ticket that exists at the help desk. `at` is the instant of its request, ISO 8601. */
export type WrittenTicket = { id: string; at: string };

export type NoTicket = { state: 'none' | 'failed'; error: string };

/**
 * Decides what a turn does next for the ticket of a call (docs/help-desk.md, "Steps").
 * @param tried the items that the turn has tried so far.
 */
export function decideTicket(facts: TicketFacts, tried: ReadonlySet<TicketItem>, now: Date): TicketDecision {
  const { call } = facts;
  const refusal = refuseTicket(facts);
  if (refusal) return { kind: 'no_ticket', ...refusal };
  if (!call.ticket && otherOrganization(facts) !== undefined) return { kind: 'start_over' };

  const { ticket } = call;
  if (isOpen(ticket)) {
    const item = isOpen(call.ticket_contact) ? 'ticket_contact' : 'ticket';
    return tried.has(item) ? { kind: 'end_turn' } : { kind: 'write', item };
  }
  const item = nextFollowUp(call, tried);
  if (ticket?.id === undefined || item === undefined) return { kind: 'end_turn' };
  const dueAt = refreshDueAt(call, ticket);
  if (item === 'ticket_refresh' && dueAt > now.toISOString()) return { kind: 'refresh_later', dueAt };
  return { kind: 'follow_up', item, ticket: { id: ticket.id, at: ticket.at } };
}

const isOpen = (mark: RemoteWrite | undefined): boolean => !mark || mark.state === 'asked';

/** Puts the refresh last. A lookup may take a whole turn, so items that were never requested come first. */
function nextFollowUp(call: TicketCall, tried: ReadonlySet<TicketItem>): FollowUp | undefined {
  const left = followUps.filter((item) => isOpen(call[item]) && !tried.has(item));
  const writes = left.filter((item) => item !== 'ticket_refresh');
  return [...writes.filter((item) => !call[item]), ...writes, ...left][0];
}

/** Returns when the status of the ticket is read again, ISO 8601. */
export const refreshDueAt = ({ ticket_refresh_at }: Pick<Call, 'ticket_refresh_at'>, { at }: { at: string }): string =>
  ticket_refresh_at ?? refreshTime(at);

/** Returns why a call gets no ticket. A ticket that was begun is completed even if settings or analysis change. */
export function refuseTicket({ call, settings }: Pick<TicketFacts, 'call' | 'settings'>): NoTicket | undefined {
  if (call.ticket !== undefined || call.ticket_fields !== undefined) return undefined;
  if ('error' in settings) return { state: 'failed', error: settings.error };
  const error = whyNoTicket(call, settings);
  return error === undefined ? undefined : { state: 'none', error };
}

/** Returns why the connection's organization must not be used for a call that has used another one. */
export function otherOrganization({
  call: { ticket_organization: used },
  organization: named,
}: {
  call: Pick<Call, 'ticket_organization'>;
  organization: string | undefined;
}): string | undefined {
  if (used === undefined || named === undefined || used === named) return undefined;
  return `the ticket was begun in the organization ${used} of the help desk; the connection has ${named} now`;
}

/**
 * Chooses the contact of a ticket. @param mark of the contact's own step, which is settled
 * @param found the result of a lookup after that step; absent if the step itself has looked the contact up in this turn
 * @param inline the contact that the ticket creates if no contact is known
 * @param isGivenUp whether the contact's deadline is over
 */
export function chooseContact({
  mark,
  found,
  inline,
  isGivenUp,
}: {
  mark: Pick<RemoteWrite, 'id'> | undefined;
  found: LookupOutcome | undefined;
  inline: ContactFields;
  isGivenUp: boolean;
}): TicketContact | NoEffect {
  if (mark?.id !== undefined) return { contactId: mark.id };
  if (found?.kind === 'found') return { contactId: found.id };
  if (found?.kind === 'reconnect_needed' || (found?.kind === 'unavailable' && !isGivenUp)) return found;
  return { contact: inline };
}
