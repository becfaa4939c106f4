import type { Connection } from '../../../domain/connections/connection.ts';
import { callWindowOf } from '../../../domain/connections/crm-b-settings.ts';
import { dialablePhone, type LeadFacts } from '../../../domain/leads/lead-decision.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { openingAt } from '../../../domain/time/call-window.ts';
import type { AssistantStore } from '../../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import type { FetchedLead } from './fetch-lead.ts';

export type GatherFactsDeps = {
  assistants: Pick<AssistantStore, 'get'>;
  doNotCall: Pick<DoNotCallStore, 'has'>;
};

type Situation = { connection: Connection; org: Organization; isSundayRetry: boolean; now: Date };

/** Gathers the facts that decide about a lead, except claims. */
export async function gatherFacts(
  deps: GatherFactsDeps,
  { lead, notFetched, wasOff }: FetchedLead,
  { connection, org, isSundayRetry, now }: Situation,
): Promise<Omit<LeadFacts, 'eventId' | 'claimedBy'> & { phone: string | undefined }> {
  const phone = dialablePhone(lead, org.default_region);
  const [assistant, onDoNotCallList] = await Promise.all([
    connection.assistant_id ? deps.assistants.get(connection.assistant_id) : undefined,
    phone ? deps.doNotCall.has(org.org_id, phone) : false,
  ]);
  return {
    lead,
    notFetched,
    wasOff,
    phone,
    connection,
    org,
    assistant,
    onDoNotCallList,
    opening: openingAt(callWindowOf(connection, { isSundayRetry }), now),
  };
}
