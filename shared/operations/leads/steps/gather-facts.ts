import type { Connection } from '../../../domain/connections/connection.ts';
import { isConnected } from '../../../domain/connections/connection.ts';
import { callWindowOf } from '../../../domain/connections/crm-b-settings.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { dialablePhone, type LeadFacts } from '../../../domain/leads/lead-decision.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { openingAt } from '../../../domain/time/call-window.ts';
import type { LeadReading } from '../../../integrations/crm-b/lead-record.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { AssistantStore } from '../../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';

export type LeadFactsDeps = {
  assistants: Pick<AssistantStore, 'get'>;
  doNotCall: Pick<DoNotCallStore, 'has'>;
  /** Asks the CRM for a lead that it has only named. */
  fetchLead: (connection: Connection, leadId: string) => Promise<LeadReading>;
  warn: (message: string, facts: { connection_id: string; event_id: string; reason: string }) => void;
};

/** The CRM could not be asked: a later try may do. `isFinal`: none will before a person has mended something. */
export type Fetch = { lead: Lead; notFetched?: LeadFacts['notFetched']; isFinal?: boolean };

/**
 * The lead with its fields: CRM-B names it only. A connection that calls nobody asks nothing, and a test's lead is no lead
 * of the CRM (interface, "Send Test Event").
 */
export async function fetchLead(
  { fetchLead: ask, warn }: Pick<LeadFactsDeps, 'fetchLead' | 'warn'>,
  { event_id, lead, test }: Pick<LeadEvent, 'event_id' | 'lead' | 'test'>,
  connection: Connection,
): Promise<Fetch> {
  const { lead_id } = lead;
  const isNamedOnly = connection.type === 'crm-b' && !test && lead_id !== undefined;
  if (!isNamedOnly || !connection.auto_call || !isConnected(connection)) return { lead };
  const fetched = await ask(connection, lead_id);
  switch (fetched.kind) {
    case 'found':
      return { lead: { ...fetched.lead, lead_id } };
    case 'not_found':
      return { lead, notFetched: { outcome: 'lead_not_found', reason: 'The CRM has no such lead any more.' } };
    case 'unavailable':
      warn('the lead could not be asked for', {
        connection_id: connection.connection_id,
        event_id,
        reason: fetched.reason,
      });
      return { lead, notFetched: unavailable(fetched.reason), ...(fetched.isFinal && { isFinal: true }) };
  }
}

const unavailable = (why: string) => ({
  outcome: 'crm_unavailable' as const,
  reason: `The CRM could not be asked about the lead: ${why}.`,
});

/** What decides about a lead besides the claims that others have taken. */
export async function gatherFacts(
  deps: LeadFactsDeps,
  { lead, notFetched }: Fetch,
  {
    connection,
    org,
    isSundayRetry,
    now,
  }: { connection: Connection; org: Organization; isSundayRetry: boolean; now: Date },
): Promise<Omit<LeadFacts, 'eventId' | 'claimedBy'> & { phone: string | undefined }> {
  const phone = dialablePhone(lead, org.default_region);
  const [assistant, onDoNotCallList] = await Promise.all([
    connection.assistant_id ? deps.assistants.get(connection.assistant_id) : undefined,
    phone ? deps.doNotCall.has(org.org_id, phone) : false,
  ]);
  return {
    lead,
    notFetched,
    phone,
    connection,
    org,
    assistant,
    onDoNotCallList,
    opening: openingAt(callWindowOf(connection, { isSundayRetry }), now),
  };
}
