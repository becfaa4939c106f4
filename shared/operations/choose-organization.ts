import type { Connection } from '../domain/connection.ts';
import { AccessUnavailable, ReconnectNeeded } from '../domain/crm-access.ts';
import {
  type GrantedOrganizations,
  organizationOf,
  settingsWithOnlyOrganization,
} from '../domain/help-desk-organization.ts';
import type { HelpDeskAccess } from '../integrations/help-desk/help-desk.ts';
import type { HelpDeskOrganizations } from '../integrations/help-desk/organizations.ts';
import type { ConnectionGrants } from '../stores/connection-grants.ts';
import type { ConnectionStore } from '../stores/connections.ts';

type AskingDeps = {
  helpDeskOrganizations: Pick<HelpDeskOrganizations, 'list'>;
  accessTo: (connection: Connection) => HelpDeskAccess;
};

export type ChooseOrganizationDeps = AskingDeps & {
  connections: Pick<ConnectionStore, 'get'>;
  grants: Pick<ConnectionGrants, 'noteOrganizations'>;
};

/** What the help desk tells of the organizations of a grant; `unavailable`: a repeat may succeed. */
export type ToldOrganizations =
  | { kind: 'listed'; organizations: GrantedOrganizations }
  | { kind: 'refused' | 'unavailable'; reason: string };

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
  const told = await askOrganizations(deps, connection);
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

/**
 * Asks for the organizations of a new grant. @returns whether tickets are known to have a place to go to; why not is told to
 * the log.
 */
export async function connectOrganization(
  deps: ChooseOrganizationDeps & {
    warn: (message: string, facts: { connection_id: string; reason: string }) => void;
  },
  connection_id: string,
): Promise<boolean> {
  const connection = await deps.connections.get(connection_id);
  if (!connection) return false;
  const told = await askOrganizations(deps, connection);
  const now = told.kind === 'listed' ? await noteOrganizations(deps, connection, told.organizations) : told;
  if (now.kind === 'chosen') return true;
  deps.warn('no organization of the help desk is chosen', { connection_id, reason: now.reason });
  return false;
}

/** Asks and stores nothing. */
export async function askOrganizations(
  { helpDeskOrganizations, accessTo }: AskingDeps,
  connection: Connection,
): Promise<ToldOrganizations> {
  try {
    const told = await helpDeskOrganizations.list(accessTo(connection));
    if (told.kind === 'found') return { kind: 'listed', organizations: told.organizations };
    if (told.kind === 'absent') return { kind: 'listed', organizations: [] };
    return { kind: told.kind, reason: told.kind === 'refused' ? told.code : told.reason };
  } catch (error) {
    if (error instanceof ReconnectNeeded) return { kind: 'refused', reason: error.message };
    if (error instanceof AccessUnavailable) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
}

/** Stores what the help desk has told under this grant. @returns what holds then. */
export async function noteOrganizations(
  { connections, grants }: Pick<ChooseOrganizationDeps, 'connections' | 'grants'>,
  { connection_id, grant: asked }: Connection,
  organizations: GrantedOrganizations,
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
