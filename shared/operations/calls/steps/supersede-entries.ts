import type { ActivityStore, EntryKey } from '../../../stores/connections/activity.ts';

export type SupersedeEntriesDeps = {
  activity: Pick<ActivityStore, 'supersede'>;
  warn: (message: string, facts: { connection_id: string; event_id: string; reason: string }) => void;
};

/**
 * Marks entries of Activity as superseded by a newer entry of the same event. Runs after the transaction that adds the
 * newer entry, and only logs a failure, which must not undo an end, a release or a dial. At worst, the dashboard shows
 * an entry in its former group.
 * @param superseded event ids. Entries that do not exist, or are already marked, do not change
 */
export async function supersedeEntries(
  { activity, warn }: SupersedeEntriesDeps,
  { connection_id, event_id }: EntryKey,
  superseded: readonly string[],
): Promise<void> {
  try {
    await Promise.all(superseded.map((former) => activity.supersede({ connection_id, event_id: former }, event_id)));
  } catch (error) {
    warn('superseded entries of Activity are not marked', { connection_id, event_id, reason: (error as Error).name });
  }
}
