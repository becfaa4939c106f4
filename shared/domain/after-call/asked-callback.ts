import { type Callback, isEnd } from './callback.ts';
import type { AttemptResult } from './callback-attempt.ts';
import { type CallbackAnswer, classifyAnswer } from './callback-schedule.ts';

/*
 * One more attempt that a person asks for, whatever became of the notification (docs/call-lifecycle.md, "Sending
 * again"). It is made under the same lease, at the same receiver, with the same id and body as all attempts.
 */

/** Attempts that may end without a result, because their workers died. */
const MOST_ASKED = 3;

/** Whether an attempt is left: by the schedule, or because a person asked for one. */
export const isOpen = ({ state, asked }: Pick<Callback, 'state' | 'asked'>): boolean =>
  state === 'pending' || asked !== undefined;

/** Whether the workers that made the attempt that a person asked for have all died. */
export const isGivenUp = ({ asked, attempts }: Callback): boolean =>
  asked !== undefined && attempts.filter(({ at }) => at >= asked.at).length >= MOST_ASKED;

/** The notification as it would be without the attempt that a person asked for. */
export const withoutAsked = (
  { state, asked }: Pick<Callback, 'state' | 'asked'>,
  now: Date,
): Pick<AttemptResult, 'state' | 'next_attempt_at'> => {
  const at = now.toISOString();
  if (asked?.next === undefined) return { state };
  return { state, next_attempt_at: asked.next > at ? asked.next : at };
};

/**
 * Decides what follows from the attempt that a person asked for. One without success leaves the notification as it was
 * before, and its schedule goes on.
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
  return withoutAsked(callback, now);
}
