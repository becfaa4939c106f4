import { secondsBetween } from '../time/instants.ts';

/** Longer than the functions may run, so that two workers never write for the same call at once. */
export const TURN_SECONDS = 90;
/** Longer than the longest outage that is nobody's decision: a vendor's credits come back within 24 hours. */
export const WRITING_DEADLINE_SECONDS = 72 * 60 * 60;
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 60 * 60;

/** Whether what is not written by now is given up. @param since ISO 8601, when it could first be written. */
export const isWritingOver = (since: string, now: Date, deadlineSeconds = WRITING_DEADLINE_SECONDS): boolean =>
  secondsBetween(since, now) >= deadlineSeconds;

/**
 * Seconds until the next try: half of the time that it has taken so far, 15 s to an hour, less up to a quarter as jitter.
 * @param since ISO 8601, when it was first tried. @param random 0 to 1.
 */
export function writingWaitSeconds(since: string, now: Date, random: number): number {
  const half = secondsBetween(since, now) / 2;
  return Math.ceil(Math.min(LONGEST_WAIT_SECONDS, Math.max(FIRST_WAIT_SECONDS, half)) * (1 - random / 4));
}

/** Where only a person can help, there is no hurry. */
export const personWaitSeconds = (random: number): number => Math.ceil(LONGEST_WAIT_SECONDS * (1 - random / 4));
