import type { Call } from '../../../domain/calls/call.ts';
import type { AlreadyCalled } from '../../../domain/calls/dialing/day-claims.ts';
import type { ActivityEntry } from '../../../domain/connections/activity.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import { leadRetry, nextTryOf } from '../../../messages/lead-retry.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type FollowPhoneDeps = { leadQueue: Pick<QueueSender<LeadEvent>, 'send'> };

/** A message looks at the other call after this time. */
export const LOOK_SECONDS = 5 * 60;

/**
 * Follows the call of another lead that claims the phone of a lead's call, which is therefore about to end: a message
 * decides the lead again if the other call ends unrung (docs/leads.md, "Two leads with one phone"). It is sent before
 * the end is written, so that a worker that dies in between loses nothing: without an entry that names its time, the
 * message has no effect.
 * @param entry about the end of the lead's call
 * @returns when the message was sent, for the entry. Test events do not follow calls
 */
export async function followPhone(
  { leadQueue }: FollowPhoneDeps,
  call: Call,
  entry: ActivityEntry | undefined,
  behind: AlreadyCalled['behind'],
): Promise<Pick<ActivityEntry, 'followed_at'>> {
  const { lead } = call;
  if (!lead || lead.test || !entry || !behind) return {};
  await leadQueue.send({ ...nextTryOf(leadRetry({ ...call, lead }, entry)), behind }, LOOK_SECONDS);
  return { followed_at: entry.at };
}
