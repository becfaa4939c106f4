import { type Connection, isConnected } from '../../../domain/connections/connection.ts';
import { admissionBy, afterFailure, type CrmBreaker } from '../../../domain/connections/crm-breaker.ts';
import { CRM_CLOCK_SECONDS } from '../../../domain/connections/deliveries/watch-channel.ts';
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
  /** Why auto-call counts as off, although it is on again. */
  wasOff?: string | undefined;
  notFetched?: LeadFacts['notFetched'];
  isFinal?: boolean;
  needsConsent?: boolean;
  /** The connection's breaker after a failure. */
  breaker?: CrmBreaker | undefined;
};

type Received = Pick<LeadEvent, 'at' | 'original_at'> &
  Partial<Pick<LeadEvent, 'source' | 'changed_at' | 'created_at'>>;

/**
 * Returns why auto-call counts as off, although it is on again: it was off when the service received the event, which
 * then waited in a backlog, or at the change that the catch-up lists. A lead that was created while auto-call was on
 * should have been called, so the time of its later change does not matter.
 */
function whyWasOff(event: Received, connection: Connection): string | undefined {
  const { source, at, original_at = at, changed_at, created_at = changed_at } = event;
  if (source === 'webhook')
    return wasOffAt(connection, original_at, 0) ? 'Auto-call was off when the service received this event.' : undefined;
  if (source !== 'catch-up' || changed_at === undefined || created_at === undefined) return undefined;
  const isOff = [changed_at, created_at].every((time) => wasOffAt(connection, time, CRM_CLOCK_SECONDS));
  return isOff ? 'Auto-call was off when the CRM changed this lead.' : undefined;
}

/**
 * Fetches the lead of an event from CRM-B. Leads of CRM-A and test leads are complete in their event, and a connection
 * that is off needs no lead. While the connection's breaker is open, no request is sent (docs/crm-b.md, "If CRM-B does
 * not answer").
 */
export async function fetchLead(
  deps: FetchLeadDeps,
  event: Pick<LeadEvent, 'event_id' | 'event' | 'lead' | 'test' | 'at' | 'original_at' | 'read_at'> & Received,
  connection: Connection,
): Promise<FetchedLead> {
  const { event_id, lead, test } = event;
  const { lead_id } = lead;
  const isNamedOnly = connection.type === 'crm-b' && !test && lead_id !== undefined;
  const wasOff = whyWasOff(event, connection);
  const known = { lead, readAt: leadTimeOf(connection.type, event), ...(wasOff && { wasOff }) };
  if (!isNamedOnly) return known;
  const unread = { ...known, isUnread: true };
  if (!connection.auto_call || !isConnected(connection) || wasOff) return unread;
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
