import { tellsTheEnd } from '../../domain/after-call/callback.ts';
import type { Call } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import { secondsBetween } from '../../domain/time/instants.ts';
import type { CallbackWork } from '../../messages/callback-work.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type RenotifyDeps = {
  calls: Pick<CallStore, 'recordCallbackStatus'>;
  callbacks: Pick<CallbackStore, 'listOfCall'>;
  callbackQueue: QueueSender<CallbackWork>;
  now: () => Date;
};

const OVERDUE_SECONDS = 60;

/**
 * Sends on what an ended call's client still has to be told: overdue attempts, the notification of the end where its
 * event was lost, and a result that was not written to the call.
 */
export async function renotify(deps: RenotifyDeps, call: Call): Promise<void> {
  const kept = await deps.callbacks.listOfCall(call.call_id);
  const overdue = kept.filter(
    ({ state, next_attempt_at }) =>
      state === 'pending' && secondsBetween(next_attempt_at ?? call.progress_at, deps.now()) >= OVERDUE_SECONDS,
  );
  await deps.callbackQueue.sendMany(overdue.map(({ call_id, webhook_id }) => ({ call_id, webhook_id })));

  const end = kept.find(({ type }) => tellsTheEnd(type));
  if (!end && isTerminal(call.status))
    await deps.callbackQueue.send({
      call_id: call.call_id,
      type: `call.${call.status}`,
      at: call.ended_at ?? call.progress_at,
    });
  if (end?.state === 'delivered') await deps.calls.recordCallbackStatus(call.call_id, 'delivered');
  if (end?.state === 'failed' || kept.some(({ state }) => state === 'gone'))
    await deps.calls.recordCallbackStatus(call.call_id, 'failed');
}
