import type { Call } from '../../../domain/calls/call.ts';
import { currentEntries } from '../../../domain/calls/call-activity.ts';
import { type LeadEnd, withdrawalOf } from '../../../domain/calls/dialing/lead-end.ts';
import { type Ending, endedByService } from '../../../domain/calls/ending.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import { freeingDayClaims } from '../dialing/move-day-claims.ts';
import { type EndCallDeps, endCall } from './end-call.ts';
import { isGivenUp, leadEndEntry } from './lead-end.ts';
import { type SupersedeEntriesDeps, supersedeEntries } from './supersede-entries.ts';

export type EndWaitingCallDeps = EndCallDeps & { claims: Pick<ClaimStore, 'freeing'> };

export type WithdrawCallDeps = EndWaitingCallDeps & SupersedeEntriesDeps & { activity: Pick<ActivityStore, 'adding'> };

/**
 * Ends a call that rang no phone, and frees its day claims, so that the next event may call the lead (docs/leads.md,
 * "Claims").
 * @param call as read. If it has changed since, nothing is written
 * @param extraWrites additional writes of the transaction
 * @returns false if the call has changed since
 */
export const endWaitingCall = (
  deps: EndWaitingCallDeps,
  call: Call,
  ending: Ending,
  extraWrites: Record<string, Write>,
): Promise<boolean> =>
  freeingDayClaims(deps.claims, call, (claims) => endCall(deps, call, ending, { ...claims, ...extraWrites }));

/**
 * Ends a call as `endWaitingCall` does. The same transaction adds the end of a lead's call to Activity. A lead that is
 * given up is counted and can be retried.
 * @param call as read. If it has changed since, nothing is written
 * @param withdrawal the outcome and the reason for Activity; by default derived from the ended_reason, unless a person
 * chose the end
 * @returns false if the call has changed since
 */
export async function withdrawCall(
  deps: WithdrawCallDeps,
  call: Call,
  status: 'failed' | 'canceled',
  endedReason: string,
  withdrawal: LeadEnd | undefined = withdrawalOf(endedReason),
): Promise<boolean> {
  const now = deps.now();
  const entry = withdrawal && leadEndEntry(call, withdrawal, now);
  const isWithdrawn = await endWaitingCall(deps, call, endedByService(status, endedReason, now), {
    ...(entry && { activity: deps.activity.adding(entry) }),
  });
  if (isWithdrawn && entry) {
    if (isGivenUp(entry)) deps.count('LeadGivenUp');
    await supersedeEntries(deps, entry, currentEntries(call));
  }
  return isWithdrawn;
}
