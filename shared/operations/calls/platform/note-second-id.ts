import type { Call } from '../../../domain/calls/call.ts';
import { platformIdsOf } from '../../../domain/calls/retention/erased-call.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type NoteSecondIdDeps = { calls: Pick<CallStore, 'noteSecond' | 'noteLate'> };

/**
 * Stores an id of the platform that the call does not follow, so that an erasure deletes the data under it. Hang up the
 * second call first: that is more urgent, and the platform's next message about it repeats this write.
 */
export async function noteSecondId(deps: NoteSecondIdDeps, call: Call, platformId: string): Promise<void> {
  if (platformIdsOf(call).includes(platformId)) return;
  // The erasure may have begun since the call was read.
  if (!(await deps.calls.noteSecond(call.call_id, platformId))) await deps.calls.noteLate(call.call_id, platformId);
}
