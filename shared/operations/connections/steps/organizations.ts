import type { Connection } from '../../../domain/connections/connection.ts';
import {
  type GrantedOrganizations,
  organizationOf,
  settingsWithOnlyOrganization,
} from '../../../domain/connections/help-desk-organization.ts';
import type { ConnectionGrants } from '../../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import { type ListOrganizationsDeps, listOrganizations } from '../list-organizations.ts';

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

export type FetchOrganizationsDeps = ListOrganizationsDeps & StoreOrganizationsDeps;

/**
 * Requests the organizations of a grant and stores them. After `refused`, a person must act; after `unavailable`, a
 * repeat may succeed.
 */
export async function fetchOrganizations(
  deps: FetchOrganizationsDeps,
  connection: Connection,
): Promise<ChosenOrganization | { kind: 'refused'; reason: string }> {
  const answer = await listOrganizations(deps, connection);
  if (answer.kind === 'listed') return storeOrganizations(deps, connection, answer.organizations);
  return { kind: answer.kind, reason: answer.reason };
}

export type ResolveOrganizationDeps = FetchOrganizationsDeps;

/**
 * Returns the connection with the organization for its tickets, or without one if none is chosen: the ticket then
 * waits. The help desk is queried only if no organization is set or the set one is known not to belong to the grant. If
 * a set organization cannot be checked, the help desk itself refuses a foreign one.
 * @param connection connected to the help desk, as it was read
 */
export async function resolveOrganization(deps: ResolveOrganizationDeps, connection: Connection): Promise<Connection> {
  const choice = organizationOf(connection);
  if (choice.kind !== 'not_chosen' && choice.orgId !== undefined) return connection;
  const learned = await fetchOrganizations(deps, connection);
  // The query has stored its result, and perhaps a new access token, on the connection.
  const current = (await deps.connections.get(connection.connection_id)) ?? connection;
  const orgId = learned.kind === 'chosen' ? learned.orgId : undefined;
  return { ...current, settings: { ...current.settings, orgId } };
}
