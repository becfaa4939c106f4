import { type Callback, isEnd } from '../../../domain/after-call/callback.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { noteAnalysisNotified } from './note-analysis-notified.ts';

export type GiveUpCallbackDeps = {
  calls: Pick<CallStore, 'recordCallbackStatus' | 'recordAnalysisNotified'>;
  callbacks: Pick<CallbackStore, 'drop'>;
};

/** Gives a notification up that has no attempt or no time left. @returns a result code for the log. */
export async function giveUpCallback(deps: GiveUpCallbackDeps, callback: Callback): Promise<string> {
  if (!(await deps.callbacks.drop(callback, 'failed'))) return 'done_before';
  await noteAnalysisNotified(deps, callback);
  if (isEnd(callback.type)) await deps.calls.recordCallbackStatus(callback.call_id, 'failed');
  return 'given_up';
}
