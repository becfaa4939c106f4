import { secondsAfter, secondsBetween } from '../../time/instants.ts';
import type { Call } from '../call.ts';

/** The time within which an ended call is to be finished (docs/operations.md, "Objectives"). */
const IN_TIME_SECONDS = 15 * 60;

type EndedCall = Pick<Call, 'ended_at' | 'finished_at' | 'finish_sent_at'>;

/** Returns whether recover-calls has sent the call to finish-call after its time was over. */
const wasSentLate = ({ ended_at, finish_sent_at }: EndedCall): boolean =>
  ended_at !== undefined && finish_sent_at !== undefined && finish_sent_at > secondsAfter(ended_at, IN_TIME_SECONDS);

/**
 * Returns whether a call was finished in time.
 * @returns undefined if the change does not finish the call, or if recover-calls has measured that it is late
 */
export function isFinishedInTime(before: EndedCall | undefined, after: EndedCall): boolean | undefined {
  const { ended_at, finished_at } = after;
  if (finished_at === undefined || before?.finished_at !== undefined || ended_at === undefined) return undefined;
  return before && wasSentLate(before) ? undefined : secondsBetween(ended_at, finished_at) <= IN_TIME_SECONDS;
}

/**
 * Returns whether recover-calls, which now sends the call to finish-call, is the first to find it late: the objective
 * must count a call that is never finished.
 */
export const isFoundLate = (call: EndedCall, now: Date): boolean =>
  !wasSentLate(call) && wasSentLate({ ...call, finish_sent_at: now.toISOString() });
