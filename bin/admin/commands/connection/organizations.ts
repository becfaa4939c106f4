import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import {
  type GrantedOrganizations,
  organizationOf,
} from '../../../../shared/domain/connections/help-desk-organization.ts';
import { listOrganizations } from '../../../../shared/operations/connections/list-organizations.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { invalid } from '../../values.ts';
import { organizationDeps } from './remote.ts';
import type { Settings } from './settings.ts';

/** The organizations of a help desk grant, or the reason why they are unknown; empty where no request was needed. */
export type Fetched = { organizations?: GrantedOrganizations; failure?: string };

/**
 * Fetches the grant's organizations from the help desk where an update leaves the connection without one of them.
 * @param settings after the update; undefined = unchanged.
 * @throws Refusal where the update sets an organization that the grant may not use.
 */
export async function fetchOrganizations(
  cloud: Cloud,
  connection: Connection,
  settings: Settings | undefined = connection.settings,
): Promise<Fetched> {
  if (connection.type !== 'help-desk' || !connection.grant) return {};
  if (organizationOf({ ...connection, settings }).kind === 'chosen') return {};
  const answer = await listOrganizations(await organizationDeps(cloud), connection);
  if (answer.kind !== 'listed')
    return { failure: `The help desk did not list its organizations (${answer.reason}): the next ticket tries again.` };
  const { organizations } = answer;
  const isSet = settings?.orgId !== undefined && settings.orgId !== connection.settings?.orgId;
  if (isSet && !organizations.some(({ id }) => id === settings.orgId)) {
    const allowed = organizations.map(({ id, name }) => `${id} (${name})`).join(', ') || 'none';
    throw invalid(`--settings: orgId: must be an organization that the grant may use: ${allowed}.`);
  }
  return { organizations };
}
