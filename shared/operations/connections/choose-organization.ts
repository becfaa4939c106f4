import { AccessUnavailable, ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import {
  type GrantedOrganizations,
  organizationOf,
  settingsWithOnlyOrganization,
} from '../../domain/connections/help-desk-organization.ts';
import type { HelpDeskAccess } from '../../integrations/help-desk/help-desk.ts';
import type { HelpDeskOrganizations } from '../../integrations/help-desk/organizations.ts';
import type { ConnectionGrants } from '../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';

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
 * For a ticket: the connection with the organization that it goes to, and without any where none is chosen; then nothing
 * is asked of the help desk, and the ticket waits. The help desk is asked only where none is set, or one that is known to be
 * none of the grant's; of one that cannot be checked the help desk itself refuses a stranger.
 * @param connection connected to the help desk, as it was read.
 */
export async function withOrganization(deps: ChooseOrganizationDeps, connection: Connection): Promise<Connection> {
  const choice = organizationOf(connection);
  if (choice.kind !== 'not_chosen' && choice.orgId !== undefined) return connection;
  const now = await learn(deps, connection);
  // What was learned stands on the connection, and so does the token that it may have taken.
  const known = (await deps.connections.get(connection.connection_id)) ?? connection;
  return { ...known, settings: { ...known.settings, orgId: now.kind === 'chosen' ? now.orgId : undefined } };
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
  const now = await learn(deps, connection);
  if (now.kind === 'chosen') return true;
  deps.warn('no organization of the help desk is chosen', { connection_id, reason: now.reason });
  return false;
}

async function learn(deps: ChooseOrganizationDeps, connection: Connection) {
  const told = await askOrganizations(deps, connection);
  return told.kind === 'listed' ? noteOrganizations(deps, connection, told.organizations) : told;
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

/**
 * Stores what the help desk has told under this grant; one organization alone, and none set before, is the choice.
 * @returns what holds then.
 */
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
