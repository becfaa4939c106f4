import type { ReadOutcome, Unknown, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';

type Read = VoicePlatform['read'];

/** As many as a lookup sends (call-listing.ts). */
const MAX_UNANSWERED = 3;

const NOT_ASKED: Unknown = { kind: 'unknown', reason: 'the platform did not answer the requests before' };

/**
 * Builds the reads of one run. After three requests in a row without an answer, no more are sent: a platform that does
 * not answer would use up the run's time, ten seconds for each call. Refusals are answers, and cost no time.
 * @param read as the platform offers it. A rejection counts as unanswered
 */
export function readsOfRun(read: Read): Read {
  let unanswered = 0;
  let answers = 0;
  const note = (isAnswered: boolean, answersBefore: number) => {
    if (isAnswered) {
      answers += 1;
      unanswered = 0;
      // Several requests are sent at once. An answer to another one proves that the platform works.
    } else if (answers === answersBefore) unanswered += 1;
  };
  return async (platformId) => {
    if (unanswered >= MAX_UNANSWERED) return NOT_ASKED;
    const answersBefore = answers;
    const outcome = read(platformId);
    note(await outcome.then(isAnswer, () => false), answersBefore);
    return outcome;
  };
}

const isAnswer = (outcome: ReadOutcome): boolean => outcome.kind !== 'unknown' || outcome.isUnanswered !== true;
