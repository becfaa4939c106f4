import { callActivity } from '../../../domain/calls/call-activity.ts';
import { mayPostpone, type ScheduledCall } from '../../../domain/calls/dialing/scheduled-call.ts';
import { leadWait } from '../../../domain/calls/placing/new-call.ts';
import type { RefusedOutcome } from '../../../domain/leads/lead-decision.ts';
import { entriesBeforeRelease, releaseSuffix } from '../../../domain/leads/release.ts';
import type { Opening } from '../../../domain/time/call-window.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import { alreadyCalled, type DayClaimWrite, movingDayClaims } from '../../calls/dialing/move-day-claims.ts';
import { supersedeEntries } from '../../calls/steps/supersede-entries.ts';
import {
  type CancelUnreleasedAsCalledDeps,
  cancelUnreleasedAsCalled,
  cancelUnreleasedCall,
} from './cancel-unreleased-call.ts';

export type PostponeScheduledCallDeps = CancelUnreleasedAsCalledDeps & {
  calls: Pick<CallStore, 'postponing' | 'ending'>;
  claims: Pick<ClaimStore, 'taking' | 'freeing'>;
};

/**
 * Moves a scheduled call to a later opening of its window. Within one IST day its claims do not change.
 * @param to.outcomeIfTooOften the outcome of a call that was postponed too often
 * @returns the outcome, for the log
 */
export async function postponeScheduledCall(
  deps: PostponeScheduledCallDeps,
  call: ScheduledCall,
  {
    opening,
    phone,
    reason,
    outcomeIfTooOften,
  }: { opening: Opening; phone: string; reason: string; outcomeIfTooOften: RefusedOutcome },
  now: Date,
): Promise<string> {
  if (!mayPostpone(call))
    return cancelUnreleasedCall(deps, call, {
      outcome: outcomeIfTooOften,
      reason: 'The call was postponed too often.',
    });
  const scheduled_for = opening.from.toISOString();
  const moved = movingDayClaims(deps.claims, call, { at: opening.from, phone });
  const entry = callActivity(
    { ...call, phone_number: phone },
    { suffix: releaseSuffix(call.scheduled_for), source: 'release', outcome: 'call scheduled', reason, scheduled_for },
    now,
  );
  const result = await deps.transact<'call' | 'activity' | DayClaimWrite>({
    call: deps.calls.postponing(call, now.toISOString(), {
      scheduled_for,
      ...leadWait({}, opening.from, opening),
      phone_number: phone,
      claims_day: moved.day,
      lead: { ...call.lead, entry_id: entry.event_id },
    }),
    ...moved.writes,
    activity: deps.activity.adding(entry),
  });
  if (result.committed) {
    await supersedeEntries(deps, entry, entriesBeforeRelease(call, now));
    return 'call scheduled';
  }
  const taken = result.refused.call ? undefined : alreadyCalled(result.refused, phone);
  return taken ? cancelUnreleasedAsCalled(deps, call, taken) : 'not_scheduled';
}
