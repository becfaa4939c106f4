import type { ReadOutcome, Unknown, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';

type Read = VoicePlatform['read'];

/** The failed requests in a row that end the reads of a run, as many as end a lookup (call-listing.ts). */
const MAX_FAILED = 3;

/** A refusal that takes this long uses up a run's time like a missing answer. */
const LATE_MS = 2_000;

const NOT_ASKED: Unknown = { kind: 'unknown', reason: 'the platform did not answer the previous requests in time' };

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
    if (failed >= MAX_FAILED) return NOT_ASKED;
    const [answersBefore, leftBefore] = [answers, timeLeftMs()];
    const isAnswer = (outcome: ReadOutcome): boolean =>
      outcome.kind !== 'unknown' || (outcome.isUnanswered !== true && leftBefore - timeLeftMs() < LATE_MS);
    const outcome = read(platformId);
    note(await outcome.then(isAnswer, () => false), answersBefore);
    return outcome;
  };
}
