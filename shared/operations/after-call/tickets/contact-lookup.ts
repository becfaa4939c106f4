import type { LookupOutcome } from '../../../domain/after-call/remote-writes/write-outcome.ts';
import type { HelpDeskContacts } from '../../../integrations/help-desk/contacts.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import { competingCallForContact } from './ticket-claims.ts';
import type { GatheredTicket } from './ticket-facts.ts';

export type ContactLookupDeps = {
  calls: Pick<CallStore, 'get'>;
  claims: Pick<ClaimStore, 'owner'>;
  organizations: Pick<OrganizationStore, 'get'>;
  contacts: HelpDeskContacts;
  now: () => Date;
};

/**
 * Looks up the contact of exactly the call's number. A search may lag or be refused, so a contact that another call has
 * just created is also found by that call's mark.
 */
export async function findContact(
  deps: ContactLookupDeps,
  facts: GatheredTicket,
  access: HelpDeskAccess,
): Promise<LookupOutcome> {
  const { call, organization } = facts;
  const org = await deps.organizations.get(call.org_id);
  const found = await deps.contacts.find(access, call.phone_number, org?.default_region ?? '');
  if (found.kind !== 'absent' && found.kind !== 'refused') return found;
  const competingCall = await competingCallForContact(deps, facts);
  const { ticket_contact, ticket_organization } = (competingCall && (await deps.calls.get(competingCall))) || {};
  if (ticket_contact?.id === undefined || ticket_organization !== organization) return found;
  return { kind: 'found', id: ticket_contact.id };
}
