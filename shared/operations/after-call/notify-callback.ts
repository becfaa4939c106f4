import {
  type Callback,
  type CallbackAttempt,
  isEnd,
  supersedes,
  webhookIdFor,
} from '../../domain/after-call/callback.ts';
import { decideAfterAttempt } from '../../domain/after-call/callback-attempt.ts';
import { viewCall } from '../../domain/calls/call-view.ts';
import { secondsAfter, secondsBetween } from '../../domain/time/instants.ts';
import type { CallbackOutcome, CallbackRequest } from '../../integrations/callbacks/send-callback.ts';
import type { CallbackEvent, CallbackWork } from '../../messages/callback-work.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type NotifyCallbackDeps = {
  calls: Pick<CallStore, 'get' | 'recordCallbackStatus'>;
  callbacks: Pick<CallbackStore, 'create' | 'listOfCall' | 'recordAttempt' | 'drop'>;
  /** The organization's signing secrets in clear, the current one first. */
  secretsOf: (orgId: string, now: Date) => Promise<[string, ...string[]]>;
  send: (callback: CallbackRequest) => Promise<CallbackOutcome>;
  callbackQueue: QueueSender<CallbackWork>;
  /** Queues the work at an instant that is too far away for the queue's delay. Idempotent by name. */
  sendAt: (at: Date, name: string, work: CallbackWork) => Promise<void>;
  now: () => Date;
  random: () => number;
};

const RETENTION_SECONDS = 30 * 24 * 60 * 60;
const LONGEST_QUEUE_WAIT_SECONDS = 15 * 60;

/**
 * Notifies a call's client of an event, or makes the next attempt (docs/call-lifecycle.md, "Callbacks"). Delivery is at
 * least once; every attempt has the same webhook id.
 * @returns a result code for the log.
 */
export async function notifyCallback(deps: NotifyCallbackDeps, work: CallbackWork): Promise<string> {
  const webhookId = 'webhook_id' in work ? work.webhook_id : await store(deps, work);
  if (!webhookId) return 'no_callback';
  const stored = await deps.callbacks.listOfCall(work.call_id);
  const callback = stored.find(({ webhook_id }) => webhook_id === webhookId);
  if (callback?.state !== 'pending') return 'done_before';

  if (stored.some(({ state }) => state === 'gone')) {
    await deps.callbacks.drop(callback, 'failed');
    return 'receiver_gone';
  }
  if (stored.some(({ state, type }) => state === 'delivered' && supersedes(type, callback.type))) {
    await deps.callbacks.drop(callback, 'superseded');
    return 'superseded';
  }
  const now = deps.now();
  if (callback.next_attempt_at && callback.next_attempt_at > now.toISOString()) {
    // A worker may have died before it planned this attempt, after recover-calls stopped watching the call. So plan it
    // again: each message is replaced by one message at most.
    await plan(deps, callback, { attempt: callback.attempts.length + 1, at: callback.next_attempt_at }, now);
    return 'too_early';
  }
  const isEndDelivered = stored.some(({ state, type }) => state === 'delivered' && isEnd(type));
  return attempt(deps, callback, isEndDelivered, now);
}

/** Stores the notification of an event. @returns its id; undefined if the call has no callback URL. */
async function store(deps: NotifyCallbackDeps, event: CallbackEvent): Promise<string | undefined> {
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
    expires_at: Math.floor(now.getTime() / 1000) + RETENTION_SECONDS,
  });
  return webhookId;
}

async function attempt(
  deps: NotifyCallbackDeps,
  callback: Callback,
  isEndDelivered: boolean,
  now: Date,
): Promise<string> {
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
  const { callbackStatus, ...next } = decideAfterAttempt(callback, outcome.kind === 'answered' ? outcome : undefined, {
    isEndDelivered,
    now,
    random: deps.random(),
  });
  // Another worker has stored a result of the same attempt: that result counts.
  if (!(await deps.callbacks.recordAttempt(callback, made, next))) return 'done_before';
  if (callbackStatus) await deps.calls.recordCallbackStatus(callback.call_id, callbackStatus);
  if (next.next_attempt_at === undefined) return next.state;
  await plan(deps, callback, { attempt: callback.attempts.length + 2, at: next.next_attempt_at }, now);
  return 'tried';
}

/**
 * Sends the message of a later attempt. If the worker dies before it, its own message is delivered again and plans it.
 */
async function plan(
  deps: NotifyCallbackDeps,
  { call_id, webhook_id }: Callback,
  { attempt, at }: { attempt: number; at: string },
  now: Date,
): Promise<void> {
  // The message comes a second late, so that no worker finds the attempt not due and drops it.
  const wait = secondsBetween(now, at) + 1;
  if (wait <= LONGEST_QUEUE_WAIT_SECONDS) await deps.callbackQueue.send({ call_id, webhook_id }, wait);
  else await deps.sendAt(new Date(secondsAfter(at, 1)), `${webhook_id}-${attempt}`, { call_id, webhook_id });
}
