import { secondsBetween } from '../../time/instants.ts';
import { istDay } from '../../time/ist-day.ts';
import type { Call } from '../call.ts';
import { mayBecome } from '../call-status.ts';
import { isRefusedByPlatform } from '../ending.ts';

/** The time within which a call is to be dialed (docs/operations.md, "Objectives"). */
const IN_TIME_SECONDS = 300;

/** Ends of calls that should have been dialed. Other ends before a dial are a person's choice or follow from a rule. */
const missedEnds: ReadonlySet<string | undefined> = new Set(['expired', 'platform_unreachable', 'lost']);

/**
 * Returns whether a call was dialed in time. Decides once per call window, when the phone rings or the call ends,
 * because an accepted dial may still be given back.
 * @returns undefined if the change does not decide it, or if the call was not to be dialed
 */
export function isDialedInTime(before: Call, after: Call): boolean | undefined {
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
