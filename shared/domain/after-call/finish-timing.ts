/** Longer than finish-call may run, so that two workers never take the same step of a call. */
const LEAST_WAIT_SECONDS = 90;
/** Less than the queue's longest delay of 15 minutes. */
const MOST_WAIT_SECONDS = 12 * 60;

/**
 * The wait between two tries of a step of finish-call: as long as has passed since the end of the call, so that the
 * waits double. The last one ends at the deadline.
 * @param elapsed since the end. @param deadline after the end. All in seconds.
 */
export function stepWait(elapsed: number, deadline: number): number {
  const untilDeadline = Math.ceil(deadline - elapsed);
  const doubling = Math.min(Math.ceil(elapsed), MOST_WAIT_SECONDS);
  return Math.max(LEAST_WAIT_SECONDS, untilDeadline > 0 ? Math.min(doubling, untilDeadline) : doubling);
}
