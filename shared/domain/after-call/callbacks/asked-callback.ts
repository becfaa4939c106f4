import { type Callback, isEnd } from './callback.ts';
import type { AttemptResult } from './callback-attempt.ts';
import { type CallbackAnswer, classifyAnswer } from './callback-schedule.ts';

/*
 * One more attempt that a person requests, whatever the state of the notification (docs/call-lifecycle.md, "Sending
 * again"). Like every attempt, it uses the same lease, receiver, id and body.
 */

/** The number of attempts that may end without a result because their workers died. */
const MAX_LOST_ATTEMPTS = 3;

type MayBeOpen = Pick<Callback, 'state' | 'asked'>;

/** The attributes of a notification with an attempt left: a pending `state`, or a request. The store uses them, too. */
export const openConditions: readonly { attribute: keyof MayBeOpen; value?: Callback['state'] }[] = [
  { attribute: 'state', value: 'pending' },
  { attribute: 'asked' },
];

/** Returns whether an attempt is left. */
export const isOpen = (callback: MayBeOpen): boolean =>
  openConditions.some(({ attribute, value }) =>
    value === undefined ? callback[attribute] !== undefined : callback[attribute] === value,
  );

/** Returns whether the requested attempt is given up, because its workers died too often. */
export const isRequestGivenUp = ({ asked, attempts }: Callback): boolean =>
  asked !== undefined && attempts.filter(({ at }) => at >= asked.at).length >= MAX_LOST_ATTEMPTS;

/** Returns the state and the next attempt that a notification has after its requested attempt had no effect. */
export const withoutRequestedAttempt = (
  { state, asked }: Pick<Callback, 'state' | 'asked'>,
  now: Date,
): Pick<AttemptResult, 'state' | 'next_attempt_at'> => {
  const at = now.toISOString();
  if (asked?.next === undefined) return { state };
  return { state, next_attempt_at: asked.next > at ? asked.next : at };
};

/**
 * Decides the result of a requested attempt. A failed attempt leaves the notification as it was, and its schedule
 * continues.
 * @param answer absent if the receiver sent none. @param isEndDelivered whether the end of the call was delivered.
 */
export function decideAfterAsked(
  callback: Callback & { asked: NonNullable<Callback['asked']> },
  answer: CallbackAnswer | undefined,
  { isEndDelivered, now }: { isEndDelivered: boolean; now: Date },
): AttemptResult {
  const kind = answer ? classifyAnswer(answer.status) : 'retry';
  if (kind === 'delivered')
    return { state: 'delivered', ...(isEnd(callback.type) && { callbackStatus: 'delivered' as const }) };
  if (kind === 'gone' && callback.state !== 'delivered')
    return { state: 'gone', callbackStatus: isEndDelivered ? 'delivered' : 'failed' };
  return withoutRequestedAttempt(callback, now);
}
