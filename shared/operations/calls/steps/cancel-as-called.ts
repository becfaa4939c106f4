import type { Call } from '../../../domain/calls/call.ts';
import { callActivity } from '../../../domain/calls/call-activity.ts';
import { type AlreadyCalled, alreadyCalledReasons } from '../../../domain/calls/day-claims.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import { type WithdrawCallDeps, withdrawCall } from './withdraw-call.ts';

export type CancelAsCalledDeps = WithdrawCallDeps & { activity: Pick<ActivityStore, 'adding'> };

/**
 * Cancels a lead's call because another event holds a day claim that it needs, with an Activity entry in the same
 * transaction.
 * @returns the result, for the log.
 */
export async function cancelAsCalled(deps: CancelAsCalledDeps, call: Call, outcome: AlreadyCalled): Promise<string> {
  const { lead } = call;
  if (!lead) return 'not_waiting';
  const entry = callActivity(
    { ...call, lead },
    { suffix: 'dial', source: 'dial', outcome, reason: alreadyCalledReasons[outcome] },
    deps.now(),
  );
  const activity = deps.activity.adding(entry);
  return (await withdrawCall(deps, call, 'canceled', outcome, { activity })) ? outcome : 'not_waiting';
}
