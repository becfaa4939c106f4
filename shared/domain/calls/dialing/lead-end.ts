import type { Outcome } from '../../connections/activity.ts';

/**
 * The end of a lead's call, as Activity explains it. `followed_at`: the send time, ISO 8601, of the message that
 * decides the lead again if another lead's call frees its phone.
 */
export type LeadEnd = { outcome: Outcome; reason: string; followed_at?: string };

/** Activity's explanation for a lead whose call the service ended before the phone rang, by ended_reason. */
const reasons = {
  expired:
    'The call was not dialed in time: it waited for a line, the voice platform, the organization or its spend limit.',
  assistant_missing: 'The assistant of the call no longer exists.',
  do_not_call: 'The number is on the do-not-call list.',
  insufficient_credits: 'The organization did not have enough credit when the call was due.',
  platform_unreachable: 'The voice platform was unreachable both times that the call was dialed.',
} as const satisfies Partial<Record<Outcome, string>>;

/**
 * Returns Activity's explanation for a call that ended before its phone rang.
 * @returns undefined for an end that a person chose
 */
export const withdrawalOf = (endedReason: string): LeadEnd | undefined =>
  isKnown(endedReason) ? { outcome: endedReason, reason: reasons[endedReason] } : undefined;

const isKnown = (endedReason: string): endedReason is keyof typeof reasons => Object.hasOwn(reasons, endedReason);

/** The end of a call whose dial the platform refused for good. */
export const REFUSED_BY_PLATFORM: LeadEnd = {
  outcome: 'refused_by_platform',
  reason: 'The voice platform refused this call, for example because of its number.',
};

/** The end of a dialed call for which the platform never reported a ring. */
export const LOST: LeadEnd = {
  outcome: 'lost',
  reason: 'The voice platform did not report the outcome of the call. The phone may have rung.',
};
