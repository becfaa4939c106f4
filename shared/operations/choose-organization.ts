import type { Connection } from '../domain/connection.ts';
import {
  type HelpDeskOrganization,
  organizationOf,
  settingsWithOnlyOrganization,
} from '../domain/help-desk-organization.ts';
import type { ConnectionGrants } from '../stores/connection-grants.ts';
import type { ConnectionStore } from '../stores/connections.ts';

/** What the help desk tells of the organizations of a connection's grant. */
export type ToldOrganizations =
  | { kind: 'listed'; organizations: HelpDeskOrganization[] }
  | { kind: 'refused' | 'unavailable'; reason: string };

export type ChooseOrganizationDeps = {
  connections: Pick<ConnectionStore, 'get'>;
  grants: Pick<ConnectionGrants, 'noteOrganizations'>;
  organizationsOf: (connection: Connection) => Promise<ToldOrganizations>;
};

export type ChosenOrganization =
  | { kind: 'chosen'; orgId: string }
  /** For good, until somebody chooses or consents anew. */
  | { kind: 'not_chosen'; reason: string }
  /** A repeat may succeed. */
  | { kind: 'unavailable'; reason: string };

/** Others write the settings, too: seldom, and never many at once. */
const MOST_TRIES = 3;

/**
 * Where a ticket goes: the chosen organization, unless it is known to be none of the grant's. Without one, or without
 * knowing, the help desk is asked.
 * @param connection connected to the help desk, as it was read.
 */
export async function chooseOrganization(
  deps: ChooseOrganizationDeps,
  connection: Connection,
): Promise<ChosenOrganization> {
  const choice = organizationOf(connection);
  return choice.kind === 'chosen' ? choice : askForOrganization(deps, connection);
}

/**
 * Asks the help desk which organizations the grant may use, and stores them; of one alone, and none chosen before, it is
 * the choice. What could not be asked leaves all as it is.
 * @param connection connected to the help desk, as it was read.
 */
export async function askForOrganization(
  deps: ChooseOrganizationDeps,
  connection: Connection,
): Promise<ChosenOrganization> {
  const told = await deps.organizationsOf(connection);
  if (told.kind === 'listed') return noteOrganizations(deps, connection, told.organizations);
  const before = organizationOf(connection);
  // A choice that cannot be checked stands: a stranger's organization refuses the token.
  if (before.kind === 'not_asked' && before.orgId !== undefined) return { kind: 'chosen', orgId: before.orgId };
  if (told.kind === 'unavailable') return { kind: 'unavailable', reason: told.reason };
  return {
    kind: 'not_chosen',
    reason: `the help desk does not tell its organizations (${told.reason}): connection update --settings '{"orgId": …}'`,
  };
}

/** Stores what the help desk has told under this grant. @returns what holds then. */
export async function noteOrganizations(
  { connections, grants }: Pick<ChooseOrganizationDeps, 'connections' | 'grants'>,
  { connection_id, grant: asked }: Connection,
  organizations: HelpDeskOrganization[],
): Promise<ChosenOrganization> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const connection = await connections.get(connection_id);
    if (!connection?.grant || connection.grant.id !== asked?.id) break;
    const grant = { ...connection.grant, organizations };
    const settings = settingsWithOnlyOrganization(connection, organizations);
    if (!(await grants.noteOrganizations(connection, grant, settings))) continue;
    const choice = organizationOf({ grant, settings: settings ?? connection.settings });
    if (choice.kind !== 'not_asked') return choice;
  }
  return { kind: 'unavailable', reason: 'the connection is being changed' };
}
