import type { ActivityStore, EntryKey } from '../../../stores/connections/activity.ts';

export type SupersedeEntriesDeps = {
  activity: Pick<ActivityStore, 'supersede'>;
  warn: (message: string, facts: { connection_id: string; event_id: string; reason: string }) => void;
};

/**
 * Names an entry of Activity on the entries of the same event that it supersedes. Runs after the transaction that adds
 * the entry, and only logs a failure: it must not undo an end, a release or a dial. At worst, the dashboard shows an
 * entry in its former group.
 * @param superseded event ids. Entries that do not exist, or name another entry, do not change
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
