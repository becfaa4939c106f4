import type { Measure } from '../../metric.ts';
import { toCredits } from '../../organizations/credit.ts';
import { secondsBetween } from '../../time/instants.ts';
import type { Call } from '../call.ts';
import { isCopy } from '../call-copy.ts';
import { isTerminal } from '../call-status.ts';
import { isDialedInTime } from './dialed-in-time.ts';
import { isFinishedInTime } from './finished-in-time.ts';

/**
 * Measures one change of a call, for the stage's dashboard and objectives (docs/operations.md).
 * @param before undefined if the call was created.
 */
export function measuresOfChange(before: Call | undefined, after: Call): Measure[] {
  if (isCopy(before, after)) return [];
  const measures: Measure[] = [];
  const { created_at, scheduled_for, dial_claimed_at, ended_at, finished_at, callback_status } = after;
  if (after.platform_id !== undefined && before?.platform_id === undefined && dial_claimed_at !== undefined)
    measures.push({ name: 'SecondsToDial', value: secondsBetween(scheduled_for ?? created_at, dial_claimed_at) });
  const inTime = before && isDialedInTime(before, after);
  if (inTime !== undefined) measures.push({ name: 'DialedInTime', value: inTime ? 1 : 0 });
  if (isTerminal(after.status) && !(before && isTerminal(before.status))) {
    measures.push({ name: 'CallEnded', value: 1, of: { status: after.status } });
    if (after.cost) measures.push({ name: 'CreditsOfCall', value: toCredits(after.cost) });
  }
  if (finished_at !== undefined && before?.finished_at === undefined && ended_at !== undefined)
    measures.push({ name: 'SecondsToFinish', value: secondsBetween(ended_at, finished_at) });
  const isFinished = isFinishedInTime(before, after);
  if (isFinished !== undefined) measures.push({ name: 'FinishedInTime', value: isFinished ? 1 : 0 });
  // A callback counts as delivered or failed once it has no attempt left.
  if (
    callback_status !== before?.callback_status &&
    (callback_status === 'delivered' || callback_status === 'failed')
  ) {
    // Count the other result as 0: an expression with an empty metric has no value.
    measures.push({ name: 'CallbackDelivered', value: callback_status === 'delivered' ? 1 : 0 });
    measures.push({ name: 'CallbackFailed', value: callback_status === 'failed' ? 1 : 0 });
  }
  return measures;
}
