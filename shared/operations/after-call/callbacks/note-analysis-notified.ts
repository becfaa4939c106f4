import { ANALYZED, type Callback } from '../../../domain/after-call/callbacks/callback.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type NoteAnalysisNotifiedDeps = { calls: Pick<CallStore, 'recordAnalysisNotified'> };

/** Stores on the call that its analysis notification is settled, if this is that notification. */
export async function noteAnalysisNotified(
  { calls }: NoteAnalysisNotifiedDeps,
  { call_id, type }: Callback,
): Promise<void> {
  if (type === ANALYZED) await calls.recordAnalysisNotified(call_id);
}
