import { callActivity } from '../../../domain/calls/call-activity.ts';
import { endedByService } from '../../../domain/calls/ending.ts';
import type { ScheduledCall } from '../../../domain/calls/scheduled-call.ts';
import { isRetryable } from '../../../domain/connections/activity.ts';
import type { Refusal } from '../../../domain/leads/lead-decision.ts';
import { leadOfRelease, releaseSuffix } from '../../../domain/leads/release.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { freeingDayClaims } from '../../calls/steps/day-claims.ts';

export type CancelUnreleasedCallDeps = {
  calls: Pick<CallStore, 'ending'>;
  claims: Pick<ClaimStore, 'freeing'>;
  activity: Pick<ActivityStore, 'adding'>;
  transact: Transact;
  now: () => Date;
};

/**
 * Cancels a call before its window opens, frees its claims and records the reason in Activity, in one transaction. A
 * scheduled call holds neither credit nor slots.
 * @returns the outcome, for the log
 */
export async function cancelUnreleasedCall(
  deps: CancelUnreleasedCallDeps,
  call: ScheduledCall,
  { outcome, reason }: Pick<Refusal, 'outcome' | 'reason'>,
): Promise<string> {
  const now = deps.now();
  const suffix = releaseSuffix(call.scheduled_for);
  const entry = callActivity(call, { suffix, source: 'release', outcome, reason }, now);
  const retryable = isRetryable(outcome) && { retryable: JSON.stringify(retryOf(call, entry)) };
  const isCanceled = await freeingDayClaims(deps.claims, call, (claims) =>
    deps.transact<string>({
      call: deps.calls.ending(
        call,
        { ...endedByService('canceled', outcome, now), cost: 0, beyondHold: 0 },
        now.toISOString(),
      ),
      activity: deps.activity.adding({ ...entry, ...retryable }),
      ...claims,
    }),
  );
  return isCanceled ? outcome : 'not_scheduled';
}

/** Makes the event for a retry. It has an id of its own, and so a call of its own, because this call has ended. */
const retryOf = (call: ScheduledCall, { event_id, at }: { event_id: string; at: string }): LeadEvent => ({
  event_id,
  connection_id: call.lead.connection_id,
  source: 'release',
  event: call.lead.event,
  test: call.lead.test,
  at,
  lead: leadOfRelease(call),
  ...(call.request_metadata.sunday_rnr_retry === 'true' && { sunday_rnr_retry: true as const }),
  payload_keys: [],
});
