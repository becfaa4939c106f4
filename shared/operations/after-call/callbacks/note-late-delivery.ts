import { type Callback, isEnd } from '../../../domain/after-call/callbacks/callback.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type NoteLateDeliveryDeps = { calls: Pick<CallStore, 'recordLateDelivery'> };

/** Stores on the call that its end notification was delivered after failing, if this is that notification. */
export async function noteLateDelivery(
  { calls }: NoteLateDeliveryDeps,
  { call_id, type, state }: Pick<Callback, 'call_id' | 'type' | 'state'>,
): Promise<void> {
  if (isEnd(type) && state === 'delivered') await calls.recordLateDelivery(call_id);
}
