import { type Connection, isConnected } from '../../../domain/connections/connection.ts';
import { admissionBy, afterFailure, type CrmBreaker } from '../../../domain/connections/crm-breaker.ts';
import { wasOffAt } from '../../../domain/connections/off-times.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import type { LeadFacts } from '../../../domain/leads/lead-decision.ts';
import type { LeadReading } from '../../../integrations/crm-b/lead-record.ts';
import { type LeadEvent, leadTimeOf } from '../../../messages/lead-event.ts';
import type { ConnectionBreakers } from '../../../stores/connections/connection-breakers.ts';

export type FetchLeadDeps = {
  /** Requests a lead from CRM-B, whose notifications contain only ids. */
  fetchLead: (connection: Connection, leadId: string) => Promise<LeadReading>;
  breakers: Pick<ConnectionBreakers, 'replace'>;
  now: () => Date;
  warn: (message: string, facts: { connection_id: string; event_id: string; reason: string }) => void;
};

/** A lead with its fields, or the reason why they are missing. `isFinal`, `needsConsent`: as in `LeadReading`. */
export type FetchedLead = {
  lead: Lead;
  /** When the lead was requested from CRM-B, or the time of CRM-A's event; ISO 8601. */
  readAt: string;
  /** When the lead last changed, by the clock of CRM-B. */
  changedAt?: string | undefined;
  /** A lead of CRM-B, of which only the id is known. */
  isUnread?: boolean;
  /** The catch-up lists it for a change at which auto-call was off. */
  wasOffAtChange?: boolean;
  notFetched?: LeadFacts['notFetched'];
  isFinal?: boolean;
  needsConsent?: boolean;
  /** The connection's breaker after a failure. */
  breaker?: CrmBreaker | undefined;
};

type Reported = Partial<Pick<LeadEvent, 'source' | 'changed_at' | 'created_at'>>;

/**
 * Returns whether auto-call was off at the change of a lead that the catch-up lists. A notification that arrives while
 * it is off is refused at once. A lead that was created while it was on should have been called, so its later change
 * does not count.
 */
const wasOffAtChange = ({ source, changed_at, created_at = changed_at }: Reported, connection: Connection): boolean =>
  source === 'catch-up' &&
  changed_at !== undefined &&
  created_at !== undefined &&
  wasOffAt(connection, changed_at) &&
  wasOffAt(connection, created_at);

/**
 * Fetches the lead of an event from CRM-B. Leads of CRM-A and test leads are complete in their event, and a connection
 * that is off needs no lead. While the connection's breaker is open, no request is sent (docs/crm-b.md, "If CRM-B does
 * not answer").
 */
export async function fetchLead(
  deps: FetchLeadDeps,
  event: Pick<LeadEvent, 'event_id' | 'event' | 'lead' | 'test' | 'at' | 'original_at' | 'read_at'> & Reported,
  connection: Connection,
): Promise<FetchedLead> {
  const { event_id, lead, test } = event;
  const { lead_id } = lead;
  const isNamedOnly = connection.type === 'crm-b' && !test && lead_id !== undefined;
  const known = { lead, readAt: leadTimeOf(connection.type, event) };
  if (!isNamedOnly) return known;
  const unread = { ...known, isUnread: true };
  if (!connection.auto_call || !isConnected(connection)) return unread;
  if (wasOffAtChange(event, connection)) return { ...unread, wasOffAtChange: true };
  const readAt = deps.now().toISOString();
  const { reading, breaker } = await fetchThrough(deps, connection, lead_id);
  switch (reading.kind) {
    case 'found':
      return { lead: { ...reading.lead, lead_id }, readAt, changedAt: reading.changedAt };
    case 'not_found':
      return {
        ...unread,
        readAt,
        notFetched: { outcome: 'lead_not_found', reason: 'The CRM no longer has the lead, or it was converted.' },
      };
    case 'unavailable': {
      const { connection_id } = connection;
      const { reason, isFinal, needsConsent } = reading;
      deps.warn('the lead could not be fetched', { connection_id, event_id, reason });
      return {
        ...unread,
        notFetched: unavailable(needsConsent ? `its consent has ended (${reason})` : reason),
        ...(isFinal && { isFinal }),
        ...(needsConsent && { needsConsent }),
        breaker,
      };
    }
  }
}

/**
 * Sends the request if the breaker admits it, and counts the result. A request that was cut short proves nothing: the
 * breaker stays as it was, and another worker may probe.
 */
async function fetchThrough(
  deps: FetchLeadDeps,
  connection: Connection,
  leadId: string,
): Promise<{ reading: LeadReading; breaker?: CrmBreaker | undefined }> {
  const { connection_id, crm_breaker: before } = connection;
  const admission = admissionBy(before, deps.now());
  const isProbe = admission.kind === 'probe';
  if (
    admission.kind === 'refused' ||
    (isProbe && !(await deps.breakers.replace(connection_id, before, admission.next)))
  )
    return { reading: { kind: 'unavailable', reason: 'it has not answered for some time' }, breaker: before };
  const current = isProbe ? admission.next : before;
  const reading = await deps.fetchLead(connection, leadId);
  if (reading.kind === 'unavailable' && reading.isCutShort) {
    if (isProbe) await deps.breakers.replace(connection_id, current, before);
    return { reading, breaker: before };
  }
  // A refusal is an answer.
  const isFailure = reading.kind === 'unavailable' && !reading.isFinal;
  const next = isFailure ? afterFailure(current, leadId, deps.now(), reading.retryAfterSeconds) : undefined;
  const isChanged = JSON.stringify(next) !== JSON.stringify(current);
  if (isChanged) await deps.breakers.replace(connection_id, current, next);
  return { reading, breaker: next };
}

const unavailable = (why: string) => ({
  outcome: 'crm_unavailable' as const,
  reason: `The lead could not be fetched from the CRM: ${why}.`,
});
