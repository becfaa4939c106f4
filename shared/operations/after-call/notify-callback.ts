import { callbackStep } from '../../domain/after-call/callbacks/callback-step.ts';
import type { CallbackWork } from '../../messages/callback-work.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import { type AttemptCallbackDeps, attemptCallback } from './callbacks/attempt-callback.ts';
import { giveUpCallback } from './callbacks/give-up-callback.ts';
import { noteAnalysisNotified, noteLateDelivery } from './callbacks/note-on-call.ts';
import { planAttempt } from './callbacks/plan-attempt.ts';
import { storeCallback } from './callbacks/store-callback.ts';

export type NotifyCallbackDeps = AttemptCallbackDeps & {
  calls: Pick<CallStore, 'get' | 'erasedOf'>;
  callbacks: Pick<CallbackStore, 'create' | 'listOfCall' | 'blank'>;
};

/**
 * Notifies a call's client of an event, or makes the next attempt (docs/call-lifecycle.md, "Callbacks"). One worker at
 * a time makes an attempt, under a lease that is taken before anything is sent; every attempt has the same webhook id.
 * @returns a result code for the log.
 */
export async function notifyCallback(deps: NotifyCallbackDeps, work: CallbackWork): Promise<string> {
  const key = 'webhook_id' in work ? work : await storeCallback(deps, await deps.calls.get(work.call_id), work);
  if (!key) return 'no_callback';
  const ofCall = await deps.callbacks.listOfCall(key.call_id);
  const callback = ofCall.find(({ webhook_id }) => webhook_id === key.webhook_id);
  const step = callbackStep(callback, ofCall, deps.now());
  // A worker may have died after it stored the delivery.
  if (callback?.attempts.at(-1)?.asked) await noteLateDelivery(deps, callback);
  if (!callback || step.kind === 'none') return step.kind === 'none' ? step.reason : 'done_before';
  switch (step.kind) {
    case 'drop':
      if (!(await deps.callbacks.drop(callback, step.state, deps.now().toISOString()))) return 'done_before';
      await noteAnalysisNotified(deps, callback);
      return step.reason;
    case 'give_up':
      return giveUpCallback(deps, callback);
    case 'plan':
      await planAttempt(deps, callback, { attempt: callback.attempts.length + 1, at: step.at });
      return 'too_early';
    case 'attempt':
      return attemptCallback(deps, callback, step.isEndDelivered);
  }
}
