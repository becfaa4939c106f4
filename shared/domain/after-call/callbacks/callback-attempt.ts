import type { CallbackStatus } from '../../calls/parts/viewed-call.ts';
import { secondsAfter } from '../../time/instants.ts';
import { type Callback, isEnd, scheduledAttempts } from './callback.ts';
import { type CallbackAnswer, classifyAnswer, delayBeforeAttempt } from './callback-schedule.ts';

/** The result of an attempt: the notification's new state, and the part that its call stores. */
export type AttemptResult = {
  state: Callback['state'];
  /** ISO 8601; absent if no attempt follows. */
  next_attempt_at?: string;
  /** Absent while the result of the call's notifications is open. */
  callbackStatus?: Exclude<CallbackStatus, 'pending'>;
};

/**
 * Decides what follows from an attempt. Only the notification of the end, or a 410, settles the call's
 * `callback_status`.
 * @param callback including this attempt. @param answer absent if the receiver sent none.
 * @param isEndDelivered whether the end of the call was delivered before. @param random 0 to 1.
 */
export function decideAfterAttempt(
  { type, attempts }: Pick<Callback, 'type' | 'attempts'>,
  answer: CallbackAnswer | undefined,
  { isEndDelivered, now, random }: { isEndDelivered: boolean; now: Date; random: number },
): AttemptResult {
  const kind = answer ? classifyAnswer(answer.status) : 'retry';
  if (kind === 'gone') return { state: 'gone', callbackStatus: isEndDelivered ? 'delivered' : 'failed' };
  if (kind === 'delivered') return { state: 'delivered', ...(isEnd(type) && { callbackStatus: 'delivered' }) };
  const delay = delayBeforeAttempt(scheduledAttempts({ attempts }) + 1, random, answer);
  if (delay !== undefined) return { state: 'pending', next_attempt_at: secondsAfter(now, delay) };
  return { state: 'failed', ...(isEnd(type) && { callbackStatus: 'failed' }) };
}
