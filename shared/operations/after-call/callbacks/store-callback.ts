import { type Callback, callbackExpiry, webhookIdFor } from '../../../domain/after-call/callbacks/callback.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { viewCall } from '../../../domain/calls/call-view.ts';
import type { CallbackEvent } from '../../../messages/callback-work.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';

export type StoreCallbackDeps = {
  callbacks: Pick<CallbackStore, 'create'>;
  now: () => Date;
};

/**
 * Stores the notification of an event. It is due at once.
 * @returns its key; undefined if the call has no callback URL.
 */
export async function storeCallback(
  { callbacks, now }: StoreCallbackDeps,
  call: Call | undefined,
  event: CallbackEvent,
): Promise<Pick<Callback, 'call_id' | 'webhook_id'> | undefined> {
  if (!call?.callback_url) return undefined;
  const { call_id, org_id, callback_url: url } = call;
  const webhook_id = webhookIdFor(call_id, event.type);
  const at = now();
  await callbacks.create({
    call_id,
    webhook_id,
    org_id,
    type: event.type,
    url,
    body: JSON.stringify({ type: event.type, timestamp: event.at, data: event.call ?? viewCall(call) }),
    created_at: at.toISOString(),
    attempts: [],
    state: 'pending',
    next_attempt_at: at.toISOString(),
    expires_at: callbackExpiry(at.toISOString(), call),
  });
  return { call_id, webhook_id };
}
