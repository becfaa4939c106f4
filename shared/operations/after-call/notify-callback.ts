import {
  type Callback,
  type CallbackAttempt,
  supersedes,
  tellsTheEnd,
  webhookIdFor,
} from '../../domain/after-call/callback.ts';
import { delayBeforeAttempt, readAnswer } from '../../domain/after-call/callback-schedule.ts';
import { viewCall } from '../../domain/calls/call-view.ts';
import { secondsAfter, secondsBetween } from '../../domain/time/instants.ts';
import type { CallbackOutcome, Callback as OutgoingCallback } from '../../integrations/callbacks/send-callback.ts';
import type { CallbackEvent, CallbackWork } from '../../messages/callback-work.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type NotifyCallbackDeps = {
  calls: Pick<CallStore, 'get' | 'recordCallbackStatus'>;
  callbacks: Pick<CallbackStore, 'create' | 'listOfCall' | 'recordAttempt' | 'drop'>;
  /** The org's signing secrets in clear, the current one first. */
  secretsOf: (orgId: string, now: Date) => Promise<[string, ...string[]]>;
  send: (callback: OutgoingCallback) => Promise<CallbackOutcome>;
  callbackQueue: QueueSender<CallbackWork>;
  /** For waits that a queue cannot hold: puts the work on the queue at that time. Asked twice, it does it once. */
  sendAt: (at: Date, name: string, work: CallbackWork) => Promise<void>;
  now: () => Date;
  random: () => number;
};

const KEPT_SECONDS = 30 * 24 * 60 * 60;
const LONGEST_QUEUE_WAIT_SECONDS = 15 * 60;

/**
 * Tells a call's client of an event, or tries once more (docs/call-lifecycle.md, "Callbacks"). Delivered at least once;
 * the webhook id is the same in every attempt.
 * @returns a word for the log.
 */
export async function notifyCallback(deps: NotifyCallbackDeps, work: CallbackWork): Promise<string> {
  const webhookId = 'webhook_id' in work ? work.webhook_id : await keep(deps, work);
  if (!webhookId) return 'no_callback';
  const kept = await deps.callbacks.listOfCall(work.call_id);
  const callback = kept.find(({ webhook_id }) => webhook_id === webhookId);
  if (callback?.state !== 'pending') return 'done_before';

  if (kept.some(({ state }) => state === 'gone')) {
    await deps.callbacks.drop(callback, 'failed');
    return 'receiver_gone';
  }
  if (kept.some(({ state, type }) => state === 'delivered' && supersedes(type, callback.type))) {
    await deps.callbacks.drop(callback, 'superseded');
    return 'superseded';
  }
  const now = deps.now();
  if (callback.next_attempt_at && callback.next_attempt_at > now.toISOString()) {
    // It may be the message of a worker that died before it planned this attempt, and recover-calls may be through with
    // the call. Each message puts back one at most.
    await plan(deps, callback, { attempt: callback.attempts.length + 1, at: callback.next_attempt_at }, now);
    return 'too_early';
  }
  const isEndTold = kept.some(({ state, type }) => state === 'delivered' && tellsTheEnd(type));
  return attempt(deps, callback, isEndTold, now);
}

/** Keeps the notification of an event. @returns its id, or undefined where nobody wants to be told. */
async function keep(deps: NotifyCallbackDeps, event: CallbackEvent): Promise<string | undefined> {
  const call = await deps.calls.get(event.call_id);
  if (!call?.callback_url) return undefined;
  const now = deps.now();
  const webhookId = webhookIdFor(call.call_id, event.type);
  await deps.callbacks.create({
    call_id: call.call_id,
    webhook_id: webhookId,
    org_id: call.org_id,
    type: event.type,
    url: call.callback_url,
    body: JSON.stringify({ type: event.type, timestamp: event.at, data: event.call ?? viewCall(call) }),
    created_at: now.toISOString(),
    attempts: [],
    state: 'pending',
    next_attempt_at: now.toISOString(),
    expires_at: Math.floor(now.getTime() / 1000) + KEPT_SECONDS,
  });
  return webhookId;
}

async function attempt(deps: NotifyCallbackDeps, callback: Callback, isEndTold: boolean, now: Date): Promise<string> {
  const outcome = await deps.send({
    url: callback.url,
    webhookId: callback.webhook_id,
    timestamp: now,
    body: callback.body,
    secrets: await deps.secretsOf(callback.org_id, now),
  });
  const made: CallbackAttempt = {
    at: now.toISOString(),
    ...(outcome.kind === 'answered' ? { status_code: outcome.status } : { error: outcome.reason }),
  };
  const answer = outcome.kind === 'answered' ? readAnswer(outcome.status) : 'retry';
  if (answer !== 'retry') {
    const state = answer === 'gone' ? 'gone' : 'delivered';
    // Another delivery of the same attempt was first: its result stands.
    if (!(await deps.callbacks.recordAttempt(callback, made, { state }))) return 'done_before';
    if (state === 'gone') await deps.calls.recordCallbackStatus(callback.call_id, isEndTold ? 'delivered' : 'failed');
    else if (tellsTheEnd(callback.type)) await deps.calls.recordCallbackStatus(callback.call_id, 'delivered');
    return state;
  }
  const delay = delayBeforeAttempt(
    callback.attempts.length + 2,
    deps.random(),
    outcome.kind === 'answered' ? outcome : undefined,
  );
  if (delay === undefined) {
    if (!(await deps.callbacks.recordAttempt(callback, made, { state: 'failed' }))) return 'done_before';
    if (tellsTheEnd(callback.type)) await deps.calls.recordCallbackStatus(callback.call_id, 'failed');
    return 'failed';
  }
  const next_attempt_at = secondsAfter(now, delay);
  if (await deps.callbacks.recordAttempt(callback, made, { state: 'pending', next_attempt_at }))
    await plan(deps, callback, { attempt: callback.attempts.length + 2, at: next_attempt_at }, now);
  return 'tried';
}

/** Sends the message of a later attempt. Dying before it: the worker's own message comes again, and finds what to do. */
async function plan(
  deps: NotifyCallbackDeps,
  { call_id, webhook_id }: Callback,
  { attempt, at }: { attempt: number; at: string },
  now: Date,
): Promise<void> {
  // A second more than the wait, so that it never comes before its time and is dropped.
  const wait = secondsBetween(now, at) + 1;
  if (wait <= LONGEST_QUEUE_WAIT_SECONDS) await deps.callbackQueue.send({ call_id, webhook_id }, wait);
  else await deps.sendAt(new Date(secondsAfter(at, 1)), `${webhook_id}-${attempt}`, { call_id, webhook_id });
}
