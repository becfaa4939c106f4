import type { Call } from '../../domain/calls/call.ts';
import { leadWait } from '../../domain/calls/new-call.ts';
import { releaseEntry } from '../../domain/organizations/ledger-entry.ts';
import { openingAfter } from '../../domain/time/call-window.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import { type GiveUpCallDeps, giveUpCall } from './end-call.ts';
import { type ClaimWrite, cancelAsCalled, lateEntry, movingClaims, takenOutcome } from './follow-the-day.ts';

export type ExpireCallDeps = GiveUpCallDeps & {
  calls: Pick<CallStore, 'ending' | 'postponing'>;
  claims: Pick<ClaimStore, 'taking' | 'freeing'>;
  activity: Pick<ActivityStore, 'adding'>;
};

/** So that a lead of last week is not called out of the blue, because nobody was in funds or a line was free until now. */
export const MOST_POSTPONEMENTS = 7;

/**
 * What becomes of a call that was not dialed in its time: a CRM-B lead's waits for the next opening of its window, any other
 * fails (docs/call-lifecycle.md, "Dialing"). So a queue that is worked off next morning rings nobody at night.
 * @param call as it was read, past its `dial_by`. @returns a word for the log.
 */
export async function expireCall(deps: ExpireCallDeps, call: Call): Promise<string> {
  const now = deps.now();
  const { lead } = call;
  const opening = openingAfter(lead?.window, now);
  if (!lead || !opening || (call.postponements ?? 0) >= MOST_POSTPONEMENTS)
    return (await giveUpCall(deps, call, 'failed', 'expired')) ? 'expired' : 'not_waiting';

  const at = now.toISOString();
  const scheduled_for = opening.from.toISOString();
  const moved = movingClaims(deps.claims, call, { at: opening.from });
  const entry = lateEntry(
    { ...call, lead },
    {
      suffix: `dial.${at}`,
      source: 'dial',
      outcome: 'call scheduled',
      reason: 'No line was free in time; the call waits for the next call window.',
      scheduled_for,
    },
    now,
  );
  const result = await deps.transact<'call' | 'credit' | 'ledger' | 'activity' | ClaimWrite>({
    call: deps.calls.postponing(call, at, {
      scheduled_for,
      ...leadWait({}, opening.from, opening),
      phone_number: call.phone_number,
      lead,
      claims_day: moved.day,
    }),
    credit: deps.organizations.settling(call.org_id, { held: call.held, cost: 0 }),
    ledger: deps.ledger.adding(releaseEntry(call, call.held, at)),
    ...moved.writes,
    activity: deps.activity.adding(entry),
  });
  if (result.committed) return 'postponed';
  const taken = result.refused.call ? undefined : takenOutcome(result.refused);
  return taken ? cancelAsCalled(deps, call, taken) : 'not_waiting';
}
