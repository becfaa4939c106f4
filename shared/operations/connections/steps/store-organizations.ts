import type { Connection } from '../../../domain/connections/connection.ts';
import {
  type GrantedOrganizations,
  organizationOf,
  settingsWithOnlyOrganization,
} from '../../../domain/connections/help-desk-organization.ts';
import type { ConnectionGrants } from '../../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

export type StoreOrganizationsDeps = {
  connections: Pick<ConnectionStore, 'get'>;
  grants: Pick<ConnectionGrants, 'noteOrganizations'>;
};

export type ChosenOrganization =
  | { kind: 'chosen'; orgId: string }
  /** A person must choose an organization or consent again. */
  | { kind: 'not_chosen'; reason: string }
  /** A repeat may succeed. */
  | { kind: 'unavailable'; reason: string };

/** Other writers change the settings rarely. */
const MAX_TRIES = 3;

/**
 * Stores the organizations of a grant on its connection. A single organization becomes the choice if none was set.
 * @param listed the connection as it was when the organizations were requested
 * @returns the resulting choice
 */
export async function storeOrganizations(
  { connections, grants }: StoreOrganizationsDeps,
  listed: Connection,
  organizations: GrantedOrganizations,
): Promise<ChosenOrganization> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const connection = await connections.get(listed.connection_id);
    if (!connection?.grant || connection.grant.id !== listed.grant?.id) break;
    const grant = { ...connection.grant, organizations };
    const settings = settingsWithOnlyOrganization(connection, organizations);
    if (!(await grants.noteOrganizations(connection, grant, settings))) continue;
    const choice = organizationOf({ grant, settings: settings ?? connection.settings });
    if (choice.kind !== 'not_asked') return choice;
  }
  return { kind: 'unavailable', reason: 'the connection is being changed' };
}
