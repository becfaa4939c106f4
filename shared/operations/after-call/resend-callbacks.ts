import { isEnd } from '../../domain/after-call/callback.ts';
import type { Call } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import { secondsBetween } from '../../domain/time/instants.ts';
import type { CallbackWork } from '../../messages/callback-work.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ResendCallbacksDeps = {
  calls: Pick<CallStore, 'recordCallbackStatus'>;
  callbacks: Pick<CallbackStore, 'listOfCall'>;
  callbackQueue: QueueSender<CallbackWork>;
  now: () => Date;
};

const OVERDUE_SECONDS = 60;

/**
 * Queues what an ended call's client has not been notified of: overdue attempts, and the notification of the end if its
 * event was lost. Stores a final result that a worker did not store on the call.
 */
export async function resendCallbacks(deps: ResendCallbacksDeps, call: Call): Promise<void> {
  const stored = await deps.callbacks.listOfCall(call.call_id);
  const overdue = stored.filter(
    ({ state, next_attempt_at }) =>
      state === 'pending' && secondsBetween(next_attempt_at ?? call.progress_at, deps.now()) >= OVERDUE_SECONDS,
  );
  await deps.callbackQueue.sendMany(overdue.map(({ call_id, webhook_id }) => ({ call_id, webhook_id })));

  const end = stored.find(({ type }) => isEnd(type));
  if (!end && isTerminal(call.status))
    await deps.callbackQueue.send({
      call_id: call.call_id,
      type: `call.${call.status}`,
      at: call.ended_at ?? call.progress_at,
    });
  if (end?.state === 'delivered') await deps.calls.recordCallbackStatus(call.call_id, 'delivered');
  if (end?.state === 'failed' || stored.some(({ state }) => state === 'gone'))
    await deps.calls.recordCallbackStatus(call.call_id, 'failed');
}
