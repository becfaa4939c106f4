import { type Callback, isEnd } from '../../../domain/after-call/callback.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type GiveUpCallbackDeps = {
  calls: Pick<CallStore, 'recordCallbackStatus'>;
  callbacks: Pick<CallbackStore, 'drop'>;
};

/** Gives a notification up that has no attempt or no time left. @returns a result code for the log. */
export async function giveUpCallback({ calls, callbacks }: GiveUpCallbackDeps, callback: Callback): Promise<string> {
  if (!(await callbacks.drop(callback, 'failed'))) return 'done_before';
  if (isEnd(callback.type)) await calls.recordCallbackStatus(callback.call_id, 'failed');
  return 'given_up';
}
