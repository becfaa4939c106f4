import { phoneHash } from '../../../domain/connections/phone-hash.ts';
import { isWaitEntry } from '../../../domain/leads/long-wait.ts';
import type { ActivityStore, EntryKey, ShownEntry } from '../../../stores/connections/activity.ts';

export type FindLeadEventsDeps = { activity: Pick<ActivityStore, 'ofPhone' | 'ofLead' | 'entriesOf'> };

/** The number of events to find of the number, of the lead in each connection, and to return. */
const MAX_EVENTS = 50;

/**
 * Finds the newest events of a number and of a lead id in an organization's connections, each by one index.
 * @param asked.phone E.164
 */
export async function findLeadEvents(
  { activity }: FindLeadEventsDeps,
  orgId: string,
  connections: readonly { connection_id: string }[],
  asked: { phone: string | undefined; leadId: string },
): Promise<{ entries: ShownEntry[]; hasMore: boolean }> {
  const { phone, leadId } = asked;
  const pages = await Promise.all([
    ...(phone === undefined ? [] : [activity.ofPhone(phoneHash(orgId, phone), MAX_EVENTS)]),
    ...connections.map(({ connection_id }) => activity.ofLead(connection_id, leadId, MAX_EVENTS)),
  ]);
  const known = new Set(connections.map(({ connection_id }) => connection_id));
  const keys = new Map<string, EntryKey>();
  for (const key of pages.flatMap((page) => page.keys))
    if (known.has(key.connection_id)) keys.set(`${key.connection_id} ${key.event_id}`, key);
  const newest = (await activity.entriesOf([...keys.values()])).sort(newestFirst);
  const hasMore = newest.length > MAX_EVENTS || pages.some((page) => page.hasMore);
  return { entries: newest.slice(0, MAX_EVENTS), hasMore };
}

/** Finds the newest events of a number of which only the hash is known, including other leads' events. */
export async function findEventsOfHash({ activity }: FindLeadEventsDeps, phoneHash: string): Promise<ShownEntry[]> {
  const { keys } = await activity.ofPhone(phoneHash, MAX_EVENTS);
  return activity.entriesOf(keys);
}

/**
 * Sorts newest first. The entry about an event's wait for the CRM has the time of the event's own entry, and follows
 * it.
 */
const newestFirst = (one: ShownEntry, other: ShownEntry): number => {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  return Number(isWaitEntry(one)) - Number(isWaitEntry(other));
};
