import { type Call, type LeadStop, leadFitsAt, leadStops } from '../../../domain/calls/call.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { endOfCall, type LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import { isStoppedSince, type StoppedLead } from '../../../domain/leads/stopped-lead.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { StoppedLeadStore } from '../../../stores/leads/stopped-leads.ts';
import type { FetchedLead } from './fetch-lead.ts';
import { findLeadOwners } from './find-claims.ts';
import { type StopLeadCallDeps, stopLeadCall } from './stop-lead-call.ts';

export type StopOlderCallsDeps = StopLeadCallDeps & {
  calls: Pick<CallStore, 'noteLeadStop'>;
  claims: Pick<ClaimStore, 'owners'>;
  stoppedLeads: Pick<StoppedLeadStore, 'note'>;
};

/**
 * Acts on an event after which its lead must not be called: stores the stop, by which older events are decided, and
 * stops their calls (docs/leads.md, "Stopped leads"). Scheduled calls are decided again at their release.
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
  const { lead, readAt, isUnread } = fetched;
  const { lead_id, owner_id, do_not_call } = lead;
  if (lead_id === undefined) return;
  const { org_id, connection_id, trigger_owner_user_id } = connection;
  const stopped: StoppedLead = {
    lead: { ...(owner_id !== undefined && { owner_id }), do_not_call },
    read_at: readAt,
  };
  // First, because a call that an older event places from now on reads it before its dial.
  if (!event.test && !isUnread && (do_not_call || owner_id !== trigger_owner_user_id))
    await deps.stoppedLeads.note({ org_id, connection_id, lead_id }, stopped);
  const stop = stopOf(refusal, lead);
  if (!stop) return;
  // This stop is out of date if the call's lead is newer, or the call has a newer stop.
  const mayStop = ({ lead: called, created_at, lead_stop }: Call) =>
    called?.test === event.test &&
    isStoppedSince(leadFitsAt({ lead: called, created_at }), stopped) &&
    (lead_stop === undefined || lead_stop.read_at <= readAt);
  const noteOn = (call: Call & { dial_claimed_at: string }) =>
    deps.calls.noteLeadStop(call, { ...stop, read_at: readAt });
  for (const owner of await findLeadOwners(deps, event, connection, lead_id, now))
    await stopLeadCall(deps, callIdForLead(connection_id, owner), stop, noteOn, mayStop);
}

function stopOf(refusal: LeadRefusal, lead: Lead): Omit<LeadStop, 'read_at'> | undefined {
  const { outcome, reason } = endOfCall(refusal, lead);
  const stop = leadStops.find((each) => each === outcome);
  return stop && { outcome: stop, reason };
}
