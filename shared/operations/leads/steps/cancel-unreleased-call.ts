import { callActivity } from '../../../domain/calls/call-activity.ts';
import { type AlreadyCalled, alreadyCalledReasons } from '../../../domain/calls/dialing/day-claims.ts';
import type { LeadEnd } from '../../../domain/calls/dialing/lead-end.ts';
import type { ScheduledCall } from '../../../domain/calls/dialing/scheduled-call.ts';
import { endedByService } from '../../../domain/calls/ending.ts';
import { type ActivityEntry, isRetryable } from '../../../domain/connections/activity.ts';
import { entriesBeforeRelease, releaseSuffix } from '../../../domain/leads/release.ts';
import { leadRetry } from '../../../messages/lead-retry.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import { freeingDayClaims } from '../../calls/dialing/move-day-claims.ts';
import { type EndCallDeps, endCall } from '../../calls/steps/end-call.ts';
import { type FollowPhoneDeps, followPhone } from '../../calls/steps/follow-phone.ts';
import { type SupersedeEntriesDeps, supersedeEntries } from '../../calls/steps/supersede-entries.ts';

export type CancelUnreleasedCallDeps = EndCallDeps &
  SupersedeEntriesDeps & {
    claims: Pick<ClaimStore, 'freeing'>;
    activity: Pick<ActivityStore, 'adding'>;
  };

export type CancelUnreleasedAsCalledDeps = CancelUnreleasedCallDeps & FollowPhoneDeps;

/**
 * Cancels a call before its window opens, frees its claims and records the reason in Activity, in one transaction. A
 * scheduled call holds neither credit nor slots.
 * @returns the outcome, for the log
 */
export async function cancelUnreleasedCall(
  deps: CancelUnreleasedCallDeps,
  call: ScheduledCall,
  end: LeadEnd,
): Promise<string> {
  const now = deps.now();
  const { outcome } = end;
  const entry = entryOf(call, end, now);
  const retryable = isRetryable(outcome) && { retryable: JSON.stringify(leadRetry(call, entry)) };
  const isCanceled = await freeingDayClaims(deps.claims, call, (claims) =>
    endCall(deps, call, endedByService('canceled', outcome, now), {
      activity: deps.activity.adding({ ...entry, ...retryable }),
      ...claims,
    }),
  );
  if (!isCanceled) return 'not_scheduled';
  if (outcome === 'crm_unavailable') deps.count('LeadGivenUp');
  await supersedeEntries(deps, entry, entriesBeforeRelease(call, now));
  return outcome;
}

/**
 * Cancels a call before its window opens because another event holds a day claim that it needs. If that is the claim on
 * the phone, the lead follows the call of that event.
 * @returns the outcome, for the log
 */
export async function cancelUnreleasedAsCalled(
  deps: CancelUnreleasedAsCalledDeps,
  call: ScheduledCall,
  { outcome, behind }: AlreadyCalled,
): Promise<string> {
  const end = { outcome, reason: alreadyCalledReasons[outcome] };
  const followed = await followPhone(deps, call, entryOf(call, end, deps.now()), behind);
  return cancelUnreleasedCall(deps, call, { ...end, ...followed });
}

const entryOf = (call: ScheduledCall, end: LeadEnd, now: Date): ActivityEntry =>
  callActivity(call, { suffix: releaseSuffix(call.scheduled_for), source: 'release', ...end }, now);
