import type { Measure } from '../../metric.ts';
import { toCredits } from '../../organizations/credit.ts';
import { secondsBetween } from '../../time/instants.ts';
import { istDay } from '../../time/ist-day.ts';
import type { Call } from '../call.ts';
import { isCopy } from '../call-event.ts';
import { isTerminal, mayBecome } from '../call-status.ts';
import { isRefusedByPlatform } from '../ending.ts';
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

/** The time within which a call is to be dialed (docs/operations.md, "Objectives"). */
const IN_TIME_SECONDS = 300;

/** Ends of calls that should have been dialed. Other ends before a dial are a person's choice or follow from a rule. */
const missedEnds: ReadonlySet<string | undefined> = new Set(['expired', 'platform_unreachable', 'lost']);

/**
 * Returns whether a call was dialed in time. Decides once per call window, when the phone rings or the call ends,
 * because an accepted dial may still be given back.
 * @returns undefined if the change does not decide it, or if the call was not to be dialed
 */
function isDialedInTime(before: Call, after: Call): boolean | undefined {
  if (!hasNotRung(before)) return undefined;
  if (hasNotRung(after)) return isPostponed(before, after) && !metSpendLimit(before) ? false : undefined;
  if (missedEnds.has(after.ended_reason) || isRefusedByPlatform(after)) return metSpendLimit(after) ? undefined : false;
  const at = dialedAt(after);
  return at === undefined ? undefined : secondsBetween(dueAt(after), at) <= IN_TIME_SECONDS;
}

const hasNotRung = ({ status }: Call): boolean => mayBecome(status, 'ringing');

/** A call that is postponed at its release was not due. */
const isPostponed = (before: Call, after: Call): boolean =>
  after.status === 'scheduled' && before.status !== 'scheduled';

const dueAt = ({ scheduled_for, created_at }: Call): string => scheduled_for ?? created_at;

/** Returns whether a daily spend limit has delayed the call since it was due. Such a delay does not count as late. */
const metSpendLimit = (call: Call): boolean =>
  call.spend_told_on !== undefined && call.spend_told_on >= istDay(new Date(dueAt(call)));

/** Returns when the call was dialed, or when it rang if the platform queued it first. */
function dialedAt(call: Call): string | undefined {
  if (call.platform_id === undefined || call.dial_claimed_at === undefined) return undefined;
  const { queued_at_platform, rang_at, answered_at, started_at, dial_claimed_at } = call;
  return queued_at_platform === undefined ? dial_claimed_at : (rang_at ?? answered_at ?? started_at);
}
