import type { UnfinishedWork } from '../../../domain/calls/call.ts';
import type { UnfinishedCall } from '../../../domain/calls/recovery/unfinished-call.ts';
import type { ReadOutcome, Unknown, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
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

type Read = VoicePlatform['read'];

/** The failed requests in a row that end the reads of a run, as many as end a lookup (call-listing.ts). */
const MAX_FAILED = 3;

/** A refusal that takes this long uses up a run's time like a missing answer. */
const LATE_MS = 2_000;

const NOT_REQUESTED: Unknown = { kind: 'unknown', reason: 'the platform did not answer the previous requests in time' };

/**
 * Builds the reads of one run. After three requests in a row without an answer, or with a late refusal, no more are
 * sent: they would use up the run's time, up to ten seconds for each call. Other refusals count as answers because they
 * cost no time, and late records because they settle calls.
 * @param read as the platform offers it. A rejection counts as unanswered
 * @param timeLeftMs milliseconds left for this run
 */
export function readsOfRun(read: Read, timeLeftMs: () => number): Read {
  let failed = 0;
  let answers = 0;
  const note = (isAnswer: boolean, answersBefore: number) => {
    if (isAnswer) {
      answers += 1;
      failed = 0;
      // Several requests are sent at once. An answer to another one proves that the platform works.
    } else if (answers === answersBefore) failed += 1;
  };
  return async (platformId) => {
    if (failed >= MAX_FAILED) return NOT_REQUESTED;
    const [answersBefore, leftBefore] = [answers, timeLeftMs()];
    const isAnswer = (outcome: ReadOutcome): boolean =>
      outcome.kind !== 'unknown' || (outcome.isUnanswered !== true && leftBefore - timeLeftMs() < LATE_MS);
    const outcome = read(platformId);
    note(await outcome.then(isAnswer, () => false), answersBefore);
    return outcome;
  };
}
