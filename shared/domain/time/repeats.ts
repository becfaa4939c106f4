import { secondsBetween } from './instants.ts';

/**
 * Returns whether to resend a message that has had no effect. It may be lost, or wait in a long queue, so the wait
 * before each repeat is as long as all earlier waits together, which keeps copies few.
 * @param dueAt when the message should have had its effect, ISO 8601
 * @param sentAt when the last message was sent, or arrives; absent if unknown
 * @param least of a wait in seconds @param most of a wait in seconds; absent for no limit
 */
export function isRepeatDue(
  dueAt: string,
  sentAt: string | undefined,
  now: Date,
  least: number,
  most = Number.POSITIVE_INFINITY,
): boolean {
  const waited = Math.max(0, secondsBetween(dueAt, sentAt ?? dueAt));
  return secondsBetween(dueAt, now) >= waited + Math.min(most, Math.max(least, waited));
}
