import { withoutRequestedAttempt } from '../../../domain/after-call/callbacks/asked-callback.ts';
import { type Callback, isEnd } from '../../../domain/after-call/callbacks/callback.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { noteAnalysisNotified } from './note-on-call.ts';
import { type PlanAttemptDeps, planAttempt } from './plan-attempt.ts';

export type GiveUpCallbackDeps = PlanAttemptDeps & {
  calls: Pick<CallStore, 'recordCallbackStatus' | 'recordAnalysisNotified'>;
  callbacks: Pick<CallbackStore, 'drop' | 'endAsked'>;
};

/** Gives up a notification that has no attempt or no time left. @returns a result code for the log. */
export async function giveUpCallback(deps: GiveUpCallbackDeps, callback: Callback): Promise<string> {
  if (callback.asked) return giveUpAsked(deps, callback);
  if (!(await deps.callbacks.drop(callback, 'failed', deps.now().toISOString()))) return 'done_before';
  await noteAnalysisNotified(deps, callback);
  if (isEnd(callback.type)) await deps.calls.recordCallbackStatus(callback.call_id, 'failed');
  return 'given_up';
}

/** Ends a requested attempt. A pending notification returns to its own schedule of attempts. */
async function giveUpAsked(deps: GiveUpCallbackDeps, callback: Callback): Promise<string> {
  const now = deps.now();
  const next = withoutRequestedAttempt(callback, now);
  if (!(await deps.callbacks.endAsked(callback, next, now.toISOString()))) return 'done_before';
  const { asked: _, ...rest } = { ...callback, ...next };
  if (next.next_attempt_at)
    await planAttempt(deps, rest, { attempt: callback.attempts.length + 1, at: next.next_attempt_at });
  return 'given_up';
}
