import { ANALYZED, isEnd } from '../../domain/after-call/callbacks/callback.ts';
import { isMessageLost } from '../../domain/after-call/callbacks/callback-step.ts';
import type { Call } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import type { CallbackEvent, CallbackWork } from '../../messages/callback-work.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { noteAnalysisNotified } from './callbacks/note-on-call.ts';
import { type StoreCallbackDeps, storeCallback } from './callbacks/store-callback.ts';

export type RecoverCallbacksDeps = StoreCallbackDeps & {
  calls: Pick<CallStore, 'recordCallbackStatus' | 'recordAnalysisNotified'>;
  callbacks: Pick<CallbackStore, 'listOfCall' | 'noteResent'>;
  callbackQueue: Pick<QueueSender<CallbackWork>, 'send'>;
};

/**
 * Queues the missing notifications of an ended call: attempts whose message seems lost, and the notifications of the
 * end and of the analysis if their events were lost. Stores a final result that a worker failed to store on the call.
 */
export async function recoverCallbacks(deps: RecoverCallbacksDeps, call: Call): Promise<void> {
  const before = await deps.callbacks.listOfCall(call.call_id);
  const lost = lostEvents(call, new Set(before.map(({ type }) => type)));
  for (const event of lost) await storeCallback(deps, call, event);
  const stored = lost.length > 0 ? await deps.callbacks.listOfCall(call.call_id) : before;

  const isNew = ({ type }: { type: string }) => lost.some((event) => event.type === type);
  const now = deps.now();
  for (const callback of stored.filter((each) => isNew(each) || isMessageLost(each, now))) {
    const { call_id, webhook_id } = callback;
    // Recorded before it is sent, so that the next run does not send another message too soon.
    if (await deps.callbacks.noteResent(callback, now.toISOString()))
      await deps.callbackQueue.send({ call_id, webhook_id });
  }
  for (const callback of stored) if (callback.state !== 'pending') await noteAnalysisNotified(deps, callback);
  const end = stored.find(({ type }) => isEnd(type));
  if (end?.state === 'delivered') await deps.calls.recordCallbackStatus(call.call_id, 'delivered');
  if (end?.state === 'failed' || stored.some(({ state }) => state === 'gone'))
    await deps.calls.recordCallbackStatus(call.call_id, 'failed');
}

/**
 * Returns the events of an ended call whose notifications are missing. Notifications of earlier statuses are obsolete
 * by then. The call's marks decide, because settled notifications may have expired from the table.
 */
function lostEvents(call: Call, stored: ReadonlySet<string>): CallbackEvent[] {
  const { call_id, status, ended_at, analyzed_at, progress_at, callback_status, analysis_callback } = call;
  const isEndLeft = isTerminal(status) && callback_status === 'pending';
  const isAnalysisLeft = analyzed_at !== undefined && analysis_callback === 'pending';
  const events = [
    ...(isEndLeft ? [{ call_id, type: `call.${status}`, at: ended_at ?? progress_at }] : []),
    ...(isAnalysisLeft ? [{ call_id, type: ANALYZED, at: analyzed_at }] : []),
  ];
  return events.filter(({ type }) => !stored.has(type));
}
