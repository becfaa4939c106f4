import { decideAfterAsked } from '../../../domain/after-call/callbacks/asked-callback.ts';
import type { Callback, CallbackAttempt } from '../../../domain/after-call/callbacks/callback.ts';
import { decideAfterAttempt } from '../../../domain/after-call/callbacks/callback-attempt.ts';
import {
  admitCallback,
  type CallbackHosts,
  callbackHost,
  callbacksOf,
  settleCallback,
} from '../../../domain/after-call/callbacks/callback-hosts.ts';
import { CALLBACK_LEASE_SECONDS, isTooLate, outcomeFor } from '../../../domain/after-call/callbacks/callback-step.ts';
import {
  type ReceiverOutcome,
  type ReceiverRefusal,
  type ShareRefusal,
  waitSeconds,
} from '../../../domain/after-call/receiver.ts';
import { newToken } from '../../../domain/ids.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { CallbackOutcome, CallbackRequest } from '../../../integrations/callbacks/send-callback.ts';
import type { CallbackLease, CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { ReceiverStore } from '../../../stores/after-call/receivers.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { enterReceiver, type Leasing, type UseReceiverDeps } from '../receivers/use-receiver.ts';
import { giveUpCallback } from './give-up-callback.ts';
import { noteAnalysisNotified, noteLateDelivery } from './note-on-call.ts';
import { type PlanAttemptDeps, planAttempt } from './plan-attempt.ts';

export type AttemptCallbackDeps = UseReceiverDeps &
  PlanAttemptDeps & {
    calls: Pick<CallStore, 'recordCallbackStatus' | 'recordAnalysisNotified' | 'recordLateDelivery'>;
    callbackReceivers: ReceiverStore<CallbackHosts>;
    callbacks: Pick<CallbackStore, 'beginAttempt' | 'recordAttempt' | 'postpone' | 'drop' | 'endAsked'>;
    /** The organization's signing secrets in plain text, the current one first. */
    secretsOf: (orgId: string, now: Date) => Promise<[string, ...string[]]>;
    send: (callback: CallbackRequest) => Promise<CallbackOutcome>;
  };

/**
 * Makes a due attempt if its receiver accepts one now; otherwise postpones it, which does not count as an attempt.
 * @param isEndDelivered whether the notification of the call's end was delivered before.
 * @returns a result code for the log.
 */
export async function attemptCallback(
  deps: AttemptCallbackDeps,
  callback: Callback,
  isEndDelivered: boolean,
): Promise<string> {
  const entered = await enterReceiver(deps, leasingOf(deps, callback), CALLBACK_LEASE_SECONDS);
  if (entered.kind === 'refused') return postpone(deps, callback, entered);
  let outcome: ReceiverOutcome = 'unused';
  try {
    // Before the attempt begins, because a failure to read the secrets is not a fault of the receiver.
    const secrets = await deps.secretsOf(callback.org_id, deps.now());
    const now = deps.now();
    const lease = leaseFrom(now);
    if (!(await deps.callbacks.beginAttempt(callback, now.toISOString(), lease))) return 'done_before';
    outcome = 'unanswered';
    const { call_id, webhook_id: webhookId, url, body } = callback;
    const answer = await deps.send({ url, webhookId, timestamp: now, body, secrets });
    outcome = outcomeFor(answer.kind === 'answered' ? answer : undefined);
    const made = { ...attemptWith(answer, now), ...(callback.asked && { asked: true }) };
    const response = answer.kind === 'answered' ? answer : undefined;
    const { callbackStatus, ...next } = callback.asked
      ? decideAfterAsked({ ...callback, asked: callback.asked }, response, { isEndDelivered, now: deps.now() })
      : decideAfterAttempt({ type: callback.type, attempts: [...callback.attempts, made] }, response, {
          isEndDelivered,
          now: deps.now(),
          random: deps.random(),
        });
    // The lease has passed to another worker, or the notification was dropped.
    if (!(await deps.callbacks.recordAttempt(callback, made, next, lease))) return 'done_before';
    if (callbackStatus) await deps.calls.recordCallbackStatus(call_id, callbackStatus);
    if (callback.asked) await noteLateDelivery(deps, { ...callback, ...next });
    if (next.next_attempt_at === undefined) {
      await noteAnalysisNotified(deps, callback);
      return next.state;
    }
    await planAttempt(deps, callback, { attempt: callback.attempts.length + 2, at: next.next_attempt_at, lease });
    return 'tried';
  } finally {
    await entered.leave({ outcome });
  }
}

function leasingOf(
  { callbackReceivers }: AttemptCallbackDeps,
  { org_id, url }: Callback,
): Leasing<CallbackHosts, ReceiverRefusal | ShareRefusal> {
  const [receiver, host] = [callbacksOf(org_id), callbackHost(url)];
  return {
    receiver,
    store: callbackReceivers,
    admit: (known, lease, now) => admitCallback({ receiver, host }, known, lease, now),
    settle: settleCallback,
  };
}

const refusalCodes = { busy: 'receiver_busy', open: 'receiver_open', share: 'organization_busy' } as const;

/** Plans the attempt for later, or gives up a notification that would wait too long for its receiver. */
async function postpone(
  deps: AttemptCallbackDeps,
  callback: Callback,
  refusal: ReceiverRefusal | ShareRefusal,
): Promise<string> {
  const now = deps.now();
  const lease = leaseFrom(now);
  const seconds = waitSeconds(refusal, callback.put_off_since ?? now.toISOString(), now, deps.random());
  const at = secondsAfter(now, seconds);
  if (isTooLate(callback, at)) return giveUpCallback(deps, callback);
  if (!(await deps.callbacks.postpone(callback, at, now.toISOString(), lease))) return 'done_before';
  await planAttempt(deps, callback, { attempt: callback.attempts.length + 1, at, lease });
  return refusalCodes[refusal.reason];
}

const leaseFrom = (now: Date): CallbackLease => ({ id: newToken(), until: secondsAfter(now, CALLBACK_LEASE_SECONDS) });

const attemptWith = (answer: CallbackOutcome, at: Date): CallbackAttempt => ({
  at: at.toISOString(),
  ...(answer.kind === 'answered' ? { status_code: answer.status } : { error: answer.reason }),
});
