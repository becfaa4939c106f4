import { type Call, isWaiting, type LeadStop, leadStops } from '../../../domain/calls/call.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { CRM_FLAG_REASON, type LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import { leadReadAt } from '../../../domain/leads/lead-of-call.ts';
import type { DialWork } from '../../../messages/call-work.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { StoppedLeadStore } from '../../../stores/leads/stopped-leads.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { endNowIfQueued } from '../../calls/platform/end-queued-call.ts';
import { type WithdrawCallDeps, withdrawCall } from '../../calls/steps/withdraw-call.ts';
import type { FetchedLead } from './fetch-lead.ts';
import { findLeadOwners } from './find-claims.ts';

export type StopWaitingCallDeps = WithdrawCallDeps & {
  calls: Pick<CallStore, 'get' | 'ending' | 'noteLeadStop'>;
  claims: Pick<ClaimStore, 'owners'>;
  stoppedLeads: Pick<StoppedLeadStore, 'note'>;
  dialQueue: Pick<QueueSender<DialWork>, 'send'>;
};

/** A waiting call changes when it gets a slot, gives it back, is dialed, or is postponed. */
const MAX_TRIES = 5;

/**
 * If an event says that its lead must not be called, stores that for older events of the lead, and cancels the calls
 * that they have placed and that wait for their dial. A call that the platform has queued is ended there, and a dialed
 * call that is given back is canceled. Scheduled calls are decided again at their release.
 * @param refusal the decision about the event @param fetched the event's lead. Its do-not-call flag counts even if the
 * event was refused for another reason, such as a missing phone
 * @throws if workers keep changing a call; the queue delivers the event again
 */
export async function stopWaitingCalls(
  deps: StopWaitingCallDeps,
  event: LeadEvent,
  refusal: LeadRefusal,
  { lead, readAt }: Pick<FetchedLead, 'lead' | 'readAt'>,
  { connection, now }: { connection: Pick<Connection, 'org_id' | 'connection_id'>; now: Date },
): Promise<void> {
  const { lead_id, owner_id, do_not_call } = lead;
  const stop = stopOf(refusal, lead);
  if (!stop || lead_id === undefined) return;
  const { org_id, connection_id } = connection;
  // First, because a call that an older event places from now on reads it before its dial.
  if (!event.test && (do_not_call || stop.outcome === 'owner_mismatch'))
    await deps.stoppedLeads.note(
      { org_id, connection_id, lead_id },
      { lead: { ...(owner_id !== undefined && { owner_id }), do_not_call }, read_at: readAt },
    );
  for (const owner of await findLeadOwners(deps, event, connection, lead_id, now))
    await stopCall(deps, callIdForLead(connection_id, owner), stop, readAt);
}

function stopOf({ outcome, reason }: LeadRefusal, lead: Pick<Lead, 'do_not_call'>): LeadStop | undefined {
  const stop = leadStops.find((each) => each === outcome);
  if (stop) return { outcome: stop, reason };
  return lead.do_not_call ? { outcome: 'do_not_call', reason: CRM_FLAG_REASON } : undefined;
}

async function stopCall(deps: StopWaitingCallDeps, callId: string, stop: LeadStop, readAt: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await deps.calls.get(callId);
    // The stop is delivered late if the call's lead is newer.
    if (!call?.lead || leadReadAt({ ...call, lead: call.lead }) > readAt) return;
    if (isWaiting(call)) {
      if (await withdrawCall(deps, call, 'canceled', stop.outcome, stop)) return;
    } else if (!isDialed(call) || (await stopDialed(deps, call, stop))) return;
  }
  throw new Error(`call ${callId} changed in each of ${MAX_TRIES} tries`);
}

const isDialed = (call: Call): call is Call & { dial_claimed_at: string } =>
  call.status === 'dialing' && call.dial_claimed_at !== undefined;

/** @returns false if the call has changed since it was read */
async function stopDialed(
  { calls, dialQueue }: StopWaitingCallDeps,
  call: Call & { dial_claimed_at: string },
  stop: LeadStop,
): Promise<boolean> {
  if (!(await calls.noteLeadStop(call, stop))) return false;
  // Until the platform's id is known, dial-call and recover-calls do it.
  if (call.platform_id) await endNowIfQueued({ dialQueue }, call, call.platform_id);
  return true;
}
