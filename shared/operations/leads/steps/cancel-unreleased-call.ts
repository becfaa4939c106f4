import { callActivity } from '../../../domain/calls/call-activity.ts';
import type { ScheduledCall } from '../../../domain/calls/dialing/scheduled-call.ts';
import { endedByService } from '../../../domain/calls/ending.ts';
import { isRetryable } from '../../../domain/connections/activity.ts';
import type { LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import { entriesBeforeRelease, releaseSuffix } from '../../../domain/leads/release.ts';
import { leadRetry } from '../../../messages/lead-retry.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import { freeingDayClaims } from '../../calls/dialing/move-day-claims.ts';
import { type EndCallDeps, endCall } from '../../calls/steps/end-call.ts';
import { type SupersedeEntriesDeps, supersedeEntries } from '../../calls/steps/supersede-entries.ts';

export type CancelUnreleasedCallDeps = EndCallDeps &
  SupersedeEntriesDeps & {
    claims: Pick<ClaimStore, 'freeing'>;
    activity: Pick<ActivityStore, 'adding'>;
  };

/**
 * Cancels a call before its window opens, frees its claims and records the reason in Activity, in one transaction. A
 * scheduled call holds neither credit nor slots.
 * @returns the outcome, for the log
 */
export async function cancelUnreleasedCall(
  deps: CancelUnreleasedCallDeps,
  call: ScheduledCall,
  { outcome, reason }: Pick<LeadRefusal, 'outcome' | 'reason'>,
): Promise<string> {
  const now = deps.now();
  const suffix = releaseSuffix(call.scheduled_for);
  const entry = callActivity(call, { suffix, source: 'release', outcome, reason }, now);
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
