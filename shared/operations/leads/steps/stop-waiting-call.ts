import { isWaiting } from '../../../domain/calls/call.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { type WithdrawCallDeps, withdrawCall } from '../../calls/steps/withdraw-call.ts';

export type StopWaitingCallDeps = WithdrawCallDeps & { calls: Pick<CallStore, 'get' | 'ending'> };

/** The refusals that mean that the lead must not be called, not just that another event calls it. */
const stopping: readonly LeadRefusal['outcome'][] = ['do_not_call', 'owner_mismatch', 'destination_not_allowed'];

/**
 * Cancels the calls of a lead that wait for their dial if a newer event of the lead says that it must not be called.
 * Scheduled calls are decided again at their release.
 * @param owners the events that own the lead's claims
 */
export async function stopWaitingCalls(
  deps: StopWaitingCallDeps,
  { connection_id }: Pick<LeadEvent, 'connection_id'>,
  { outcome, reason }: LeadRefusal,
  owners: readonly string[],
): Promise<void> {
  if (!stopping.includes(outcome)) return;
  for (const owner of new Set(owners)) {
    const call = await deps.calls.get(callIdForLead(connection_id, owner));
    if (call && isWaiting(call)) await withdrawCall(deps, call, 'canceled', outcome, { outcome, reason });
  }
}
