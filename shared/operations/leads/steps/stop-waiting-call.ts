import { isWaiting } from '../../../domain/calls/call.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { CRM_FLAG_REASON, type LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { type WithdrawCallDeps, withdrawCall } from '../../calls/steps/withdraw-call.ts';

export type StopWaitingCallDeps = WithdrawCallDeps & { calls: Pick<CallStore, 'get' | 'ending'> };

type Stop = Pick<LeadRefusal, 'outcome' | 'reason'>;

/** The refusals that mean that the lead must not be called, not just that another event calls it. */
const stopping: readonly LeadRefusal['outcome'][] = ['do_not_call', 'owner_mismatch', 'destination_not_allowed'];

/** A waiting call changes when it gets a slot, gives it back, or is postponed. */
const MAX_TRIES = 5;

/**
 * Cancels the calls of a lead that wait for their dial if a newer event of the lead says that it must not be called.
 * Scheduled calls are decided again at their release.
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

function stopOf({ outcome, reason }: LeadRefusal, lead: Pick<Lead, 'do_not_call'>): Stop | undefined {
  if (stopping.includes(outcome)) return { outcome, reason };
  return lead.do_not_call ? { outcome: 'do_not_call', reason: CRM_FLAG_REASON } : undefined;
}

async function stopCall(deps: StopWaitingCallDeps, callId: string, stop: Stop): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await deps.calls.get(callId);
    if (!call || !isWaiting(call)) return;
    if (await withdrawCall(deps, call, 'canceled', stop.outcome, stop)) return;
  }
  throw new Error(`call ${callId} changed in each of ${MAX_TRIES} tries`);
}
