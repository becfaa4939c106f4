import { secondsBetween } from '../../time/instants.ts';
import { isRepeatDue } from '../../time/repeats.ts';
import type { ReceiverOutcome } from '../receiver.ts';
import { isOpen, isRequestGivenUp } from './asked-callback.ts';
import { type Callback, isEnd, scheduledAttempts, supersedes } from './callback.ts';
import { type CallbackAnswer, classifyAnswer, MAX_ATTEMPTS } from './callback-schedule.ts';

/** Longer than notify-callback may run (lib/queues.ts), and shorter than its message stays hidden. */
export const CALLBACK_LEASE_SECONDS = 60;
/** How long a notification waits for its receiver. The schedule of the attempts alone takes less than a day. */
const DEADLINE_SECONDS = 3 * 24 * 60 * 60;
const OVERDUE_SECONDS = 60;
/** How long a requested attempt waits for its receiver. */
const ASKED_DEADLINE_SECONDS = 60 * 60;

/** The next step of a worker with a message about a notification. */
export type CallbackStep =
  /** Another worker or message does the rest, or no work is left. */
  | { kind: 'none'; reason: 'done_before' | 'under_way' | 'planned_before' }
  /** The notification is obsolete. */
  | { kind: 'drop'; state: 'failed' | 'superseded'; reason: 'receiver_gone' | 'superseded' }
  /** All attempts were made, and the last one had no result; or the requested attempts had no result. */
  | { kind: 'give_up' }
  /** The worker that planned the next attempt died before it sent its message. */
  | { kind: 'plan'; at: string }
  | { kind: 'attempt'; isEndDelivered: boolean };

/**
 * Decides what to do with a message. A duplicate of a message sends no request (docs/call-lifecycle.md, "Callbacks").
 * @param ofCall all notifications of the call, as read.
 */
export function callbackStep(callback: Callback | undefined, ofCall: readonly Callback[], now: Date): CallbackStep {
  const at = now.toISOString();
  if (!callback || !isOpen(callback)) return { kind: 'none', reason: 'done_before' };
  if (callback.lease && callback.lease.until > at) return { kind: 'none', reason: 'under_way' };
  const isEndDelivered = ofCall.some(({ state, type }) => state === 'delivered' && isEnd(type));
  if (callback.asked) return isRequestGivenUp(callback) ? { kind: 'give_up' } : dueStep(callback, isEndDelivered, at);
  if (ofCall.some(({ state }) => state === 'gone')) return { kind: 'drop', state: 'failed', reason: 'receiver_gone' };
  if (ofCall.some(({ state, type }) => state === 'delivered' && supersedes(type, callback.type)))
    return { kind: 'drop', state: 'superseded', reason: 'superseded' };
  if (scheduledAttempts(callback) >= MAX_ATTEMPTS) return { kind: 'give_up' };
  return dueStep(callback, isEndDelivered, at);
}

function dueStep(callback: Callback, isEndDelivered: boolean, at: string): CallbackStep {
  const { next_attempt_at = at, message_at = '' } = callback;
  if (next_attempt_at > at)
    return message_at >= next_attempt_at
      ? { kind: 'none', reason: 'planned_before' }
      : { kind: 'plan', at: next_attempt_at };
  return { kind: 'attempt', isEndDelivered };
}

/** Returns whether a notification that would wait for its receiver until `at` is given up instead. */
export const isTooLate = ({ created_at, asked }: Pick<Callback, 'created_at' | 'asked'>, at: string): boolean =>
  asked ? secondsBetween(asked.at, at) > ASKED_DEADLINE_SECONDS : secondsBetween(created_at, at) > DEADLINE_SECONDS;

/** Returns whether the message of the next attempt seems lost, so that recover-calls sends another one. */
export function isMessageLost(callback: Callback, now: Date): boolean {
  const { next_attempt_at, created_at, lease, message_at } = callback;
  const dueAt = next_attempt_at ?? created_at;
  const freeAt = lease && lease.until > dueAt ? lease.until : dueAt;
  return isOpen(callback) && isRepeatDue(freeAt, message_at, now, OVERDUE_SECONDS);
}

/** The statuses of a receiver that cannot take requests now, or of the gateway before it. */
const OVERLOADED = new Set([429, 502, 503, 504]);

/**
 * Returns what an attempt says about its receiver. A refusal counts as an answer: it arrives at once and occupies no
 * worker.
 * @param answer absent if the receiver sent none.
 */
export const outcomeFor = (answer: CallbackAnswer | undefined): ReceiverOutcome =>
  answer && (classifyAnswer(answer.status) !== 'retry' || !OVERLOADED.has(answer.status)) ? 'answered' : 'unanswered';
