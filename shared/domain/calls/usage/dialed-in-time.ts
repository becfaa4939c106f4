import { secondsBetween } from '../../time/instants.ts';
import { istDay } from '../../time/ist-day.ts';
import type { Call } from '../call.ts';
import { mayBecome } from '../call-status.ts';

/** The time within which a call is to be dialed (docs/operations.md, "Objectives"). */
const IN_TIME_SECONDS = 300;

/** Ends of calls that should have been dialed. Other ends before a dial are a person's choice or follow from a rule. */
const missedEnds: ReadonlySet<string | undefined> = new Set(['expired', 'platform_unreachable', 'lost']);
const isRefusedByPlatform = (endedReason = ''): boolean => endedReason.startsWith('platform answered ');

/**
 * Returns whether a call was dialed in time. Each call has one answer for each of its call windows: with its ring or
 * its end, because an attempt that the platform has accepted may be given back.
 * @returns undefined if the change does not decide it, or if the call was not to be dialed
 */
export function isDialedInTime(before: Call, after: Call): boolean | undefined {
  if (!hasNotRung(before)) return undefined;
  if (hasNotRung(after)) return isPostponed(before, after) && !metSpendLimit(before) ? false : undefined;
  if (missedEnds.has(after.ended_reason) || isRefusedByPlatform(after.ended_reason))
    return metSpendLimit(after) ? undefined : false;
  const at = dialedAt(after);
  return at === undefined ? undefined : secondsBetween(dueAt(after), at) <= IN_TIME_SECONDS;
}

const hasNotRung = ({ status }: Call): boolean => mayBecome(status, 'ringing');

/** A call that is postponed at its release was not due. */
const isPostponed = (before: Call, after: Call): boolean =>
  after.status === 'scheduled' && before.status !== 'scheduled';

const dueAt = ({ scheduled_for, created_at }: Call): string => scheduled_for ?? created_at;

/** Returns whether the call met a daily spend limit, which is a choice, since it was due. */
const metSpendLimit = (call: Call): boolean =>
  call.spend_told_on !== undefined && call.spend_told_on >= istDay(new Date(dueAt(call)));

/** The dial; of a call that the platform first had queued, its ring. */
function dialedAt(call: Call): string | undefined {
  if (call.platform_id === undefined || call.dial_claimed_at === undefined) return undefined;
  const { queued_at_platform, rang_at, answered_at, started_at, dial_claimed_at } = call;
  return queued_at_platform === undefined ? dial_claimed_at : (rang_at ?? answered_at ?? started_at);
}
