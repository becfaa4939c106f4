import type { Callback } from '../../../domain/after-call/callbacks/callback.ts';
import { secondsAfter, secondsBetween } from '../../../domain/time/instants.ts';
import type { CallbackWork } from '../../../messages/callback-work.ts';
import type { CallbackLease, CallbackStore } from '../../../stores/after-call/callbacks.ts';
import { MAX_DELAY_SECONDS, type QueueSender } from '../../../stores/queue.ts';

export type PlanAttemptDeps = {
  callbacks: Pick<CallbackStore, 'notePlanned'>;
  callbackQueue: QueueSender<CallbackWork>;
  /** Queues the work at an instant that is too far away for the queue's delay. Idempotent by name. */
  sendAt: (at: Date, name: string, work: CallbackWork) => Promise<void>;
  now: () => Date;
};

/**
 * Sends the one message of a later attempt, and records it. If the worker dies in between, its own message is delivered
 * again and plans the attempt once more.
 * @param next.lease under which the attempt was decided; absent if no lease is held.
 */
export async function planAttempt(
  { callbacks, callbackQueue, sendAt, now }: PlanAttemptDeps,
  callback: Callback,
  { attempt, at, lease }: { attempt: number; at: string; lease?: CallbackLease },
): Promise<void> {
  const { call_id, webhook_id } = callback;
  // The message arrives a second late, so that no worker finds the attempt not yet due and drops it.
  const arrival = secondsAfter(at, 1);
  const wait = secondsBetween(now(), arrival);
  if (wait <= MAX_DELAY_SECONDS) await callbackQueue.send({ call_id, webhook_id }, Math.max(0, wait));
  else await sendAt(new Date(arrival), `${webhook_id}-${attempt}`, { call_id, webhook_id });
  await callbacks.notePlanned(callback, at, arrival, lease);
}
