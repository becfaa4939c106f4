import { ANALYZED, type Callback, isEnd } from '../../../domain/after-call/callbacks/callback.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type NoteAnalysisNotifiedDeps = { calls: Pick<CallStore, 'recordAnalysisNotified'> };

/** Stores on the call that its analysis notification is settled, if this is that notification. */
export async function noteAnalysisNotified(
  { calls }: NoteAnalysisNotifiedDeps,
  { call_id, type }: Callback,
): Promise<void> {
  if (type === ANALYZED) await calls.recordAnalysisNotified(call_id);
}

type NoteLateDeliveryDeps = { calls: Pick<CallStore, 'recordLateDelivery'> };

/** Stores on the call that its end notification was delivered after failing, if this is that notification. */
export async function noteLateDelivery(
  { calls }: NoteLateDeliveryDeps,
  { call_id, type, state }: Pick<Callback, 'call_id' | 'type' | 'state'>,
): Promise<void> {
  if (isEnd(type) && state === 'delivered') await calls.recordLateDelivery(call_id);
}
