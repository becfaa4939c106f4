/** Longer than finish-call may run, so that two workers never take the same step of a call. */
const MIN_WAIT_SECONDS = 90;
/** Less than the queue's longest delay of 15 minutes. */
const MAX_WAIT_SECONDS = 12 * 60;

/**
 * Computes the wait between two tries of a step of finish-call: the time since the end of the call, so that the waits
 * double. The last one ends at the deadline.
 * @param elapsed since the end. @param deadline after the end. All in seconds.
 */
export function stepWait(elapsed: number, deadline: number): number {
  const untilDeadline = Math.ceil(deadline - elapsed);
  const doubling = Math.min(Math.ceil(elapsed), MAX_WAIT_SECONDS);
  return Math.max(MIN_WAIT_SECONDS, untilDeadline > 0 ? Math.min(doubling, untilDeadline) : doubling);
}

const DAY_SECONDS = 24 * 60 * 60;
/** Allows about a dozen tries a day, too few to keep a throttled model busy. */
const MAX_LATE_WAIT_SECONDS = 2 * 60 * 60;

/**
 * Computes the wait until the next try at the analysis of a finished call: half of the time since the call's end.
 * @param elapsed since the end. @returns undefined if no try is left: a day has passed. All in seconds.
 */
export const lateWait = (elapsed: number): number | undefined =>
  elapsed >= DAY_SECONDS
    ? undefined
    : Math.min(Math.max(MIN_WAIT_SECONDS, Math.ceil(elapsed / 2)), MAX_LATE_WAIT_SECONDS);
