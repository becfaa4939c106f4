import type { Call } from '../../../domain/calls/call.ts';
import type { AlreadyCalled } from '../../../domain/calls/dialing/day-claims.ts';
import type { ActivityEntry } from '../../../domain/connections/activity.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import { leadRetry, nextTryOf } from '../../../messages/lead-retry.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type FollowPhoneDeps = { leadQueue: Pick<QueueSender<LeadEvent>, 'send'> };

/** A message checks the other call after this time. */
export const CHECK_AFTER_SECONDS = 5 * 60;

/**
 * Follows another lead's call for a lead whose own call is about to end, because the other call claims the phone. A
 * message decides the lead again if the other call ends before it rings (docs/leads.md, "Two leads with one phone").
 * The message is sent before the end is written, so that it is not lost if the worker dies in between. It has no effect
 * unless an entry stores its time.
 * @param entry about the end of the lead's own call
 * @returns when the message was sent, for the entry; absent for a test event, which follows no call
 */
export async function followPhone(
  { leadQueue }: FollowPhoneDeps,
  call: Call,
  entry: ActivityEntry | undefined,
  behind: AlreadyCalled['behind'],
): Promise<Pick<ActivityEntry, 'followed_at'>> {
  const { lead } = call;
  if (!lead || lead.test || !entry || !behind) return {};
  await leadQueue.send({ ...nextTryOf(leadRetry({ ...call, lead }, entry)), behind }, CHECK_AFTER_SECONDS);
  return { followed_at: entry.at };
}
