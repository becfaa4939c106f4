import { type Connection, isConnected } from '../../../domain/connections/connection.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import type { LeadFacts } from '../../../domain/leads/lead-decision.ts';
import type { LeadReading } from '../../../integrations/crm-b/lead-record.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';

export type FetchLeadDeps = {
  /** Requests a lead from CRM-B, whose notifications contain only ids. */
  fetchLead: (connection: Connection, leadId: string) => Promise<LeadReading>;
  warn: (message: string, facts: { connection_id: string; event_id: string; reason: string }) => void;
};

/** A lead with its fields, or why there are none: `isFinal` and `needsConsent` as in the reading. */
export type FetchedLead = {
  lead: Lead;
  notFetched?: LeadFacts['notFetched'];
  isFinal?: boolean;
  needsConsent?: boolean;
};

/**
 * Fetches the lead of an event from CRM-B. Leads of CRM-A and test leads are complete in their event, and a connection
 * that is off needs no lead.
 */
export async function fetchLead(
  deps: FetchLeadDeps,
  { event_id, lead, test }: Pick<LeadEvent, 'event_id' | 'lead' | 'test'>,
  connection: Connection,
): Promise<FetchedLead> {
  const { lead_id } = lead;
  const isNamedOnly = connection.type === 'crm-b' && !test && lead_id !== undefined;
  if (!isNamedOnly || !connection.auto_call || !isConnected(connection)) return { lead };
  const reading = await deps.fetchLead(connection, lead_id);
  switch (reading.kind) {
    case 'found':
      return { lead: { ...reading.lead, lead_id } };
    case 'not_found':
      return { lead, notFetched: { outcome: 'lead_not_found', reason: 'The CRM has no such lead any more.' } };
    case 'unavailable': {
      const { connection_id } = connection;
      const { reason, isFinal, needsConsent } = reading;
      deps.warn('the lead could not be fetched', { connection_id, event_id, reason });
      return {
        lead,
        notFetched: unavailable(reason),
        ...(isFinal && { isFinal }),
        ...(needsConsent && { needsConsent }),
      };
    }
  }
}

const unavailable = (why: string) => ({
  outcome: 'crm_unavailable' as const,
  reason: `The lead could not be fetched from the CRM: ${why}.`,
});
