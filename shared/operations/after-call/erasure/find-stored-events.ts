import { hasNumber } from '../../../domain/connections/stored-event.ts';
import type { ActivityStore, EntryKey } from '../../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import type { Person } from './find-person.ts';

export type FindStoredEventsDeps = {
  organizations: Pick<OrganizationStore, 'get'>;
  connections: Pick<ConnectionStore, 'listToShow'>;
  activity: Pick<ActivityStore, 'storedEvents'>;
};

/**
 * Finds the stored lead events that contain a person's number. The index by number has only the number that would be
 * dialed, so this reads the organization's whole Activity, 90 days at most.
 */
export async function findStoredEvents(
  { organizations, connections, activity }: FindStoredEventsDeps,
  { org_id, phone }: Person,
): Promise<EntryKey[]> {
  const [org, { known, newer }] = await Promise.all([organizations.get(org_id), connections.listToShow(org_id)]);
  const found: EntryKey[] = [];
  if (!org) return found;
  for (const { connection_id } of [...known, ...newer])
    for await (const { retryable, ...key } of activity.storedEvents(connection_id))
      if (hasNumber(retryable, phone, org.default_region)) found.push(key);
  return found;
}
