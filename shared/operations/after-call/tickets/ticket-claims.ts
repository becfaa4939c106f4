import { claimFor, expiringClaimFor } from '../../../domain/calls/dialing/claim.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import type { GatheredTicket } from './ticket-facts.ts';

/** The limit of BatchGetItem. */
const MAX_KEYS = 100;

/** Longer than settling a request with an unknown outcome takes, and longer than the help desk's search may lag. */
const CONTACT_CLAIM_SECONDS = 15 * 60;

type ClaimDeps<Method extends keyof ClaimStore> = { claims: Pick<ClaimStore, Method>; now: () => Date };

/** Returns the key of the claim to create a phone's contact, which only one of two concurrent calls gets. */
export const contactClaimKey = (connectionId: string, phone: string): string =>
  `ticket-contact#${connectionId}#${phone}`;

const contactKey = ({ connectionId, call }: GatheredTicket): string => contactClaimKey(connectionId, call.phone_number);

/** Returns the key of the claim on a ticket, so that two calls with equal ticket texts do not share a ticket. */
const ticketKey = ({ connectionId }: GatheredTicket, ticketId: string): string => `ticket#${connectionId}#${ticketId}`;

/** Finds another call that may have created the contact within the last quarter of an hour. */
export async function competingCallForContact(
  { claims, now }: ClaimDeps<'owner'>,
  facts: GatheredTicket,
): Promise<string | undefined> {
  const claim = await claims.owner(contactKey(facts));
  const isExpired = claim !== undefined && claim.at <= secondsAfter(now(), -CONTACT_CLAIM_SECONDS);
  return claim?.owner_id === facts.call.call_id || isExpired ? undefined : claim?.owner_id;
}

/** Claims the right to create the contact for the call's number; refused while another call holds it. */
export function takingContact({ claims, now }: ClaimDeps<'takingUnlessHeldSince'>, facts: GatheredTicket): Write {
  const { call_id } = facts.call;
  const claim = expiringClaimFor(contactKey(facts), { ownerId: call_id, callId: call_id, now: now() }, now());
  return claims.takingUnlessHeldSince(claim, secondsAfter(claim.at, -CONTACT_CLAIM_SECONDS));
}

/** Claims a ticket for the call; refused if another call owns it. */
export function takingTicket({ claims, now }: ClaimDeps<'taking'>, facts: GatheredTicket, ticketId: string): Write {
  const { call_id } = facts.call;
  return claims.taking(claimFor(ticketKey(facts, ticketId), { ownerId: call_id, callId: call_id, now: now() }));
}

/** Finds tickets that no call has claimed. @returns the unclaimed tickets of the first batch of 100 that has any */
export async function unclaimedTickets(
  { claims }: Pick<ClaimDeps<'owners'>, 'claims'>,
  facts: GatheredTicket,
  ticketIds: readonly string[],
): Promise<string[]> {
  const keyOf = (id: string) => ticketKey(facts, id);
  for (let start = 0; start < ticketIds.length; start += MAX_KEYS) {
    const some = ticketIds.slice(start, start + MAX_KEYS);
    const owners = await claims.owners(some.map(keyOf));
    const unclaimed = some.filter((id) => !owners.has(keyOf(id)));
    if (unclaimed.length > 0) return unclaimed;
  }
  return [];
}
