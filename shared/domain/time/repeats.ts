import { secondsBetween } from './instants.ts';

/**
 * Whether a message that has had no effect is sent again. It may be lost, or wait in a long queue: so each repeat waits
 * as long as all the earlier ones together, and copies stay few however long the queue is.
 * @param dueAt when the message should have had its effect, ISO 8601.
 * @param sentAt when the last message was sent, or arrives; absent if unknown.
 * @param least of a wait in seconds. @param most likewise; absent = no limit.
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
