import { activityExpiry } from '../../../domain/connections/activity.ts';
import { inBatches } from '../../../domain/in-batches.ts';
import type { ActivityStore, EntryPosition } from '../../../stores/connections/activity.ts';

export type RetainActivityDeps = { activity: Pick<ActivityStore, 'page' | 'keepUntil'>; now: () => Date };

/** `ending`: the changed entries that have expired by now. Entries that had expired before are not counted. */
export type ActivityCounts = { changed: number; ending: number; same: number };

const ENTRIES_OF_A_PAGE = 100;
/** The number of entries changed concurrently. */
const AT_ONCE = 20;

/**
 * Applies a retention to the Activity of a connection.
 * @param to ISO 8601, the newest entry. @param days undefined for the maximum. @param isDryRun whether to only count
 */
export async function retainActivity(
  { activity, now }: RetainActivityDeps,
  connectionId: string,
  { to, days, isDryRun }: { to: string; days: number | undefined; isDryRun: boolean },
): Promise<ActivityCounts> {
  const seconds = Math.floor(now().getTime() / 1000);
  const counts = { changed: 0, ending: 0, same: 0 };
  for (let before: EntryPosition | undefined; ; ) {
    const range = { to, limit: ENTRIES_OF_A_PAGE, ...(before && { before }) };
    const { items, last } = await activity.page(connectionId, range);
    const left = items
      .filter(({ expires_at }) => expires_at > seconds)
      .map((entry) => ({ entry, expiry: activityExpiry(entry.at, days) }));
    const changing = left.filter(({ entry, expiry }) => entry.expires_at !== expiry);
    if (!isDryRun) await inBatches(changing, AT_ONCE, ({ entry, expiry }) => activity.keepUntil(entry, expiry));
    counts.changed += changing.length;
    counts.ending += changing.filter(({ expiry }) => expiry <= seconds).length;
    counts.same += left.length - changing.length;
    if (!last) return counts;
    before = last;
  }
}
