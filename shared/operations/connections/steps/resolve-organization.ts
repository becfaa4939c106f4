import type { Connection } from '../../../domain/connections/connection.ts';
import { organizationOf } from '../../../domain/connections/help-desk-organization.ts';
import { type FetchOrganizationsDeps, fetchOrganizations } from './fetch-organizations.ts';

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
