import type { UnfinishedWork } from '../../../domain/calls/call.ts';
import type { UnfinishedCall } from '../../../domain/calls/recovery/unfinished-call.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { RecoveryCursorStore } from '../../../stores/calls/recovery-cursors.ts';

export type ReadUnfinishedDeps = {
  calls: Pick<CallStore, 'unfinished'>;
  cursors: RecoveryCursorStore;
};

/**
 * Visits the calls that need one kind of work: from where the last run stopped to the end, then the earlier ones.
 * @param visit starts the work on a call
 * @returns false if time ran out; the next run continues there
 */
export async function readUnfinished(
  deps: ReadUnfinishedDeps,
  work: UnfinishedWork,
  { hasTime, visit }: { hasTime: () => boolean; visit: (call: UnfinishedCall) => Promise<void> },
): Promise<boolean> {
  const from = await deps.cursors.get(work);
  let last = from;
  for (const after of from ? [from, undefined] : [undefined]) {
    for await (const call of deps.calls.unfinished(work, { after })) {
      if (from && !after && call.dial_by > from.dial_by) break;
      if (!hasTime()) {
        if (last) await deps.cursors.put(work, last);
        return false;
      }
      await visit(call);
      last = call;
    }
  }
  if (from) await deps.cursors.put(work, undefined);
  return true;
}
