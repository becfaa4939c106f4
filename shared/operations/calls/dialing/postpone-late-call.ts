import { type Call, holdsCredit, leadStopOf } from '../../../domain/calls/call.ts';
import { callActivity, currentEntries } from '../../../domain/calls/call-activity.ts';
import { mayPostpone } from '../../../domain/calls/dialing/scheduled-call.ts';
import { leadWait } from '../../../domain/calls/placing/new-call.ts';
import { releaseEntry } from '../../../domain/organizations/ledger-entry.ts';
import { openingAfter } from '../../../domain/time/call-window.ts';
import type { SlotsWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { givingBackSlots } from '../slots/giving-back-slots.ts';
import { supersedeEntries } from '../steps/supersede-entries.ts';
import { withdrawCall } from '../steps/withdraw-call.ts';
import { type CancelAsCalledDeps, cancelAsCalled } from './cancel-as-called.ts';
import { alreadyCalled, movingDayClaims } from './move-day-claims.ts';
import { changingSpend } from './spending.ts';

export type PostponeLateCallDeps = CancelAsCalledDeps & {
  calls: Pick<CallStore, 'ending' | 'postponing'>;
  claims: Pick<ClaimStore, 'taking' | 'freeing'>;
  slotsQueue: QueueSender<SlotsWork>;
};

/**
 * Postpones a call that was not dialed in time to the next opening of its call window, or ends it as `expired` if it
 * has none (docs/call-lifecycle.md, "Scheduled calls"), so that redriving a queue never rings a phone outside the
 * window.
 * @param call as it was read, past its `dial_by`.
 * @returns the result, for the log.
 */
export async function postponeLateCall(deps: PostponeLateCallDeps, call: Call): Promise<string> {
  const now = deps.now();
  const { lead } = call;
  const stop = leadStopOf(call);
  if (stop) return (await withdrawCall(deps, call, 'canceled', stop.outcome, stop)) ? stop.outcome : 'not_waiting';
  const opening = openingAfter(lead?.window, now);
  if (!lead || !opening || !mayPostpone(call))
    return (await withdrawCall(deps, call, 'failed', 'expired')) ? 'expired' : 'not_waiting';

  const at = now.toISOString();
  const scheduled_for = opening.from.toISOString();
  const moved = movingDayClaims(deps.claims, call, { at: opening.from });
  const entry = callActivity(
    { ...call, lead },
    {
      suffix: `dial.${at}`,
      source: 'dial',
      outcome: 'call scheduled',
      reason: 'The call was not dialed in time; it waits for the next call window.',
      scheduled_for,
    },
    now,
  );
  const result = await deps.transact<string>({
    call: deps.calls.postponing(call, at, {
      scheduled_for,
      ...leadWait({}, opening.from, opening),
      phone_number: call.phone_number,
      lead: { ...lead, entry_id: entry.event_id },
      claims_day: moved.day,
    }),
    ...(holdsCredit(call) && {
      credit: deps.organizations.settling(call.org_id, { held: call.held, cost: 0 }),
      ledger: deps.ledger.adding(releaseEntry(call, call.held, at)),
    }),
    ...changingSpend(deps, call, -call.held),
    ...moved.writes,
    ...givingBackSlots(deps.slots, call),
    activity: deps.activity.adding(entry),
  });
  if (result.committed) {
    // Other calls may wait for this credit or these slots, and no event of a postponement reaches hand-over-slots.
    if (holdsCredit(call) || call.slots)
      await deps.slotsQueue.send({ org_id: call.org_id, at, freed_credit: holdsCredit(call) });
    await supersedeEntries(deps, entry, currentEntries(call));
    return 'postponed';
  }
  const taken = result.refused.call ? undefined : alreadyCalled(result.refused, call.phone_number);
  return taken ? cancelAsCalled(deps, call, taken) : 'not_waiting';
}
