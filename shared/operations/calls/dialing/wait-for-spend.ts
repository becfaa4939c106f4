import type { Call } from '../../../domain/calls/call.ts';
import { callActivity, spendEntries, spendSuffix } from '../../../domain/calls/call-activity.ts';
import { SPEND_WAIT_SECONDS, type SpendStop, spendStopReason } from '../../../domain/calls/dialing/spend-limit.ts';
import type { Count } from '../../../domain/metric.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { WaitingOrgStore } from '../../../stores/calls/slots/waiting-orgs.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { GiveBackReservationDeps } from '../slots/give-back-reservation.ts';
import { givingBackSlots } from '../slots/giving-back-slots.ts';
import { type SupersedeEntriesDeps, supersedeEntries } from '../steps/supersede-entries.ts';

export type WaitForSpendDeps = GiveBackReservationDeps &
  SupersedeEntriesDeps & {
    waitingOrgs: Pick<WaitingOrgStore, 'parkUntil'>;
    activity: Pick<ActivityStore, 'adding'>;
    count: Count;
  };

/**
 * Gives back the slots of a call that would exceed a daily spend limit, and adds an Activity entry for a lead once a
 * day (docs/call-lifecycle.md, "Daily spend limits"). The organization's calls get no slots for some minutes, so that
 * they do not all try and fail.
 * @param call as read, with its reservation
 */
export async function waitForSpend(deps: WaitForSpendDeps, call: Call, stop: SpendStop): Promise<string> {
  const now = deps.now();
  const at = now.toISOString();
  const day = istDay(now);
  const until = secondsAfter(now, SPEND_WAIT_SECONDS);
  const { lead } = call;
  const isNoted = call.spend_told_on === day;
  const entry =
    lead &&
    !isNoted &&
    callActivity(
      { ...call, lead },
      {
        suffix: spendSuffix(day),
        source: 'dial',
        outcome: 'spend_limit_reached',
        reason: spendStopReason(stop),
      },
      now,
    );
  const { committed } = await deps.transact<string>({
    call: deps.calls.givingBackReservation(call, at, until, day),
    ...givingBackSlots(deps.slots, call),
    activity: entry ? deps.activity.adding(entry) : undefined,
  });
  if (!committed) return 'not_waiting';
  deps.count('SpendLimitReached');
  if (await deps.waitingOrgs.parkUntil(call.org_id, until))
    await deps.slotsQueue.send({ org_id: call.org_id, at: until }, SPEND_WAIT_SECONDS + 1);
  if (entry) await supersedeEntries(deps, entry, spendEntries(call));
  return 'spend_limit_reached';
}
