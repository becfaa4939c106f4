import type { Outcome } from '../connections/activity.ts';

/** What Activity says about a lead whose call the service ended before its phone rang, by the call's ended_reason. */
const reasons = {
  expired:
    'The call was not dialed in time: it waited for a line, the voice platform, the organization or its spend limit.',
  assistant_missing: 'The assistant of the call does not exist any more.',
  do_not_call: 'The number is on the do-not-call list.',
  insufficient_credits: 'The organization had not enough credit when the call was due.',
  platform_unreachable: 'The voice platform was unreachable when the call was dialed, twice.',
} as const satisfies Partial<Record<Outcome, string>>;

/**
 * Returns what Activity says about such a call.
 * @returns undefined for an end that a person chose
 */
export const withdrawalOf = (endedReason: string): { outcome: Outcome; reason: string } | undefined =>
  isKnown(endedReason) ? { outcome: endedReason, reason: reasons[endedReason] } : undefined;

const isKnown = (endedReason: string): endedReason is keyof typeof reasons => Object.hasOwn(reasons, endedReason);
