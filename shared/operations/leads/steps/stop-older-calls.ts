import { type CallStop, leadFitsAt, leadStops } from '../../../domain/calls/call.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { CRM_FLAG_REASON, type LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import { type LeadEvent, receivedAt } from '../../../messages/lead-event.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { StoppedLeadStore } from '../../../stores/leads/stopped-leads.ts';
import type { FetchedLead } from './fetch-lead.ts';
import { findLeadOwners } from './find-claims.ts';
import { type StopLeadCallDeps, stopLeadCall } from './stop-lead-call.ts';

export type StopOlderCallsDeps = StopLeadCallDeps & {
  claims: Pick<ClaimStore, 'owners'>;
  stoppedLeads: Pick<StoppedLeadStore, 'note'>;
};

/**
 * If an event says that its lead must not be called, stores that for older events of the lead, and stops their calls
 * (docs/leads.md, "Stopped leads"). Scheduled calls are decided again at their release.
 * @param refusal the decision about the event
 * @param fetched the event's lead. Its do-not-call flag counts even if the event was refused for another reason, such
 * as a missing phone
 * @throws if workers keep changing a call; the queue delivers the event again
 */
export async function stopOlderCalls(
  deps: StopOlderCallsDeps,
  event: LeadEvent,
  refusal: LeadRefusal,
  fetched: FetchedLead,
  { connection, now }: { connection: Connection; now: Date },
): Promise<void> {
  const { lead } = fetched;
  const { lead_id, owner_id, do_not_call } = lead;
  if (lead_id === undefined) return;
  const { org_id, connection_id } = connection;
  const readAt = stoppedAt(event, fetched, connection);
  // First, because a call that an older event places from now on reads it before its dial.
  if (!event.test && !fetched.isUnread && (do_not_call || owner_id !== connection.trigger_owner_user_id))
    await deps.stoppedLeads.note(
      { org_id, connection_id, lead_id },
      { lead: { ...(owner_id !== undefined && { owner_id }), do_not_call }, read_at: readAt },
    );
  const stop = stopOf(refusal, lead);
  if (!stop) return;
  for (const owner of await findLeadOwners(deps, event, connection, lead_id, now))
    await stopLeadCall(
      deps,
      callIdForLead(connection_id, owner),
      { ...stop, read_at: readAt },
      // The stop is delivered late if the call's lead is newer.
      (call) => call.lead?.test === event.test && leadFitsAt(call) <= readAt,
    );
}

/** Returns the time of the stop. A creation counts as older than it was received, but not its do-not-call flag. */
const stoppedAt = (event: LeadEvent, { lead, readAt }: FetchedLead, { type }: Connection): string =>
  type === 'crm-a' && lead.do_not_call && event.read_at === undefined ? receivedAt(event) : readAt;

function stopOf({ outcome, reason }: LeadRefusal, lead: Pick<Lead, 'do_not_call'>): CallStop | undefined {
  const stop = leadStops.find((each) => each === outcome);
  if (stop) return { outcome: stop, reason };
  return lead.do_not_call ? { outcome: 'do_not_call', reason: CRM_FLAG_REASON } : undefined;
}
