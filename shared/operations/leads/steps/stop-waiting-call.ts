import { type Call, isWaiting, type LeadStop, leadStops } from '../../../domain/calls/call.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { CRM_FLAG_REASON, type LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import type { DialWork } from '../../../messages/call-work.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { endNowIfQueued } from '../../calls/platform/end-queued-call.ts';
import { type WithdrawCallDeps, withdrawCall } from '../../calls/steps/withdraw-call.ts';

export type StopWaitingCallDeps = WithdrawCallDeps & {
  calls: Pick<CallStore, 'get' | 'ending' | 'noteLeadStop'>;
  dialQueue: Pick<QueueSender<DialWork>, 'send'>;
};

/** A waiting call changes when it gets a slot, gives it back, is dialed, or is postponed. */
const MAX_TRIES = 5;

/**
 * Cancels the calls of a lead that wait for their dial if a newer event of the lead says that it must not be called. A
 * call that the platform has queued is ended there, and a dialed call that is given back is canceled. Scheduled calls
 * are decided again at their release.
 * @param refusal the decision about the newer event @param lead as that event has it. Its do-not-call flag counts even
 * if the event was refused for another reason, such as a missing phone
 * @param owners the events that own the lead's claims
 * @throws if workers keep changing a call; the queue delivers the event again
 */
export async function stopWaitingCalls(
  deps: StopWaitingCallDeps,
  { connection_id }: Pick<LeadEvent, 'connection_id'>,
  refusal: LeadRefusal,
  lead: Pick<Lead, 'do_not_call'>,
  owners: readonly string[],
): Promise<void> {
  const stop = stopOf(refusal, lead);
  if (stop) for (const owner of new Set(owners)) await stopCall(deps, callIdForLead(connection_id, owner), stop);
}

function stopOf({ outcome, reason }: LeadRefusal, lead: Pick<Lead, 'do_not_call'>): LeadStop | undefined {
  const stop = leadStops.find((each) => each === outcome);
  if (stop) return { outcome: stop, reason };
  return lead.do_not_call ? { outcome: 'do_not_call', reason: CRM_FLAG_REASON } : undefined;
}

async function stopCall(deps: StopWaitingCallDeps, callId: string, stop: LeadStop): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await deps.calls.get(callId);
    if (!call) return;
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
