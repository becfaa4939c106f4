import { CONTACT_CLAIM_SECONDS, contactClaimKey } from '../../../domain/after-call/ticket-work.ts';
import type { LookupOutcome } from '../../../domain/after-call/write-outcome.ts';
import { claimFor } from '../../../domain/calls/lead-claims.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { HelpDeskContacts } from '../../../integrations/help-desk/contacts.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import type { GatheredTicket } from './ticket-facts.ts';

export type ContactLookupDeps = {
  calls: Pick<CallStore, 'get'>;
  claims: Pick<ClaimStore, 'owner' | 'takingSince'>;
  organizations: Pick<OrganizationStore, 'get'>;
  contacts: HelpDeskContacts;
  now: () => Date;
};

/**
 * Looks up the contact of exactly the call's number. A search may lag behind or be refused, so a contact that another call
 * has just made is also known by that call's mark.
 * @throws ReconnectNeeded, AccessUnavailable.
 */
export async function findContact(
  deps: ContactLookupDeps,
  { call, connectionId, organization }: GatheredTicket,
  access: HelpDeskAccess,
): Promise<LookupOutcome> {
  const org = await deps.organizations.get(call.org_id);
  const found = await deps.contacts.find(access, call.phone_number, org?.default_region ?? '');
  if (found.kind === 'found' || found.kind === 'unavailable') return found;
  const claim = await deps.claims.owner(contactClaimKey(connectionId, call.phone_number));
  const isOwn = claim?.event_id === call.call_id;
  if (!claim || isOwn || claim.at <= secondsAfter(deps.now(), -CONTACT_CLAIM_SECONDS)) return found;
  const { ticket_contact, ticket_organization } = (await deps.calls.get(claim.event_id)) ?? {};
  if (ticket_contact?.id === undefined || ticket_organization !== organization) return found;
  return { kind: 'found', id: ticket_contact.id };
}

/** Claims the right to make the contact of the call's number; refused while another call has it. */
export function claimingContact(
  { claims, now }: Pick<ContactLookupDeps, 'claims' | 'now'>,
  { call: { call_id, phone_number }, connectionId }: GatheredTicket,
): Write {
  const key = contactClaimKey(connectionId, phone_number);
  const claim = claimFor(key, { eventId: call_id, callId: call_id, now: now() });
  return claims.takingSince(claim, secondsAfter(claim.at, -CONTACT_CLAIM_SECONDS));
}
