import { type Callback, callbackExpiry, webhookIdFor } from '../../../domain/after-call/callbacks/callback.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { viewCall } from '../../../domain/calls/call-view.ts';
import type { CallbackEvent } from '../../../messages/callback-work.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type StoreCallbackDeps = {
  calls: Pick<CallStore, 'erasedOf'>;
  callbacks: Pick<CallbackStore, 'create' | 'blank'>;
  now: () => Date;
};

/**
 * Stores the notification of an event, which is due at once. An erasure that began after the call was read may miss the
 * notification, so this function then removes its content; if the worker dies before that, its repeat does so.
 * @param call undefined if it is erased or unknown.
 * @returns the notification's key; undefined if the call has no callback URL, or is erased.
 */
export async function storeCallback(
  { calls, callbacks, now }: StoreCallbackDeps,
  call: Call | undefined,
  event: CallbackEvent,
): Promise<Pick<Callback, 'call_id' | 'webhook_id'> | undefined> {
  const webhook_id = webhookIdFor(event.call_id, event.type);
  if (!call) await callbacks.blank({ call_id: event.call_id, webhook_id });
  if (!call?.callback_url) return undefined;
  const { call_id, org_id, callback_url: url, request_metadata, idempotency_key = null } = call;
  const at = now();
  // Taken from the call: an event may lose digits or characters of the client's own values, which never change.
  const data = { ...(event.call ?? viewCall(call)), idempotency_key, request_metadata };
  await callbacks.create({
    call_id,
    webhook_id,
    org_id,
    type: event.type,
    url,
    body: JSON.stringify({ type: event.type, timestamp: event.at, data }),
    created_at: at.toISOString(),
    attempts: [],
    state: 'pending',
    next_attempt_at: at.toISOString(),
    expires_at: callbackExpiry(at.toISOString(), call),
  });
  if ((await calls.erasedOf(call_id)) === undefined) return { call_id, webhook_id };
  await callbacks.blank({ call_id, webhook_id });
  return undefined;
}
