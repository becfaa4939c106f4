import { type FetchOrganizationsDeps, fetchOrganizations } from './steps/organizations.ts';

export type ChooseOrganizationDeps = FetchOrganizationsDeps & {
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/**
 * Requests the organizations of a new grant, and chooses one if the grant has only that one.
 * @returns whether tickets have an organization. If not, the reason is logged
 */
export async function chooseOrganization(deps: ChooseOrganizationDeps, connection_id: string): Promise<boolean> {
  const connection = await deps.connections.get(connection_id);
  if (!connection) return false;
  const choice = await fetchOrganizations(deps, connection);
  if (choice.kind === 'chosen') return true;
  deps.warn('no organization of the help desk is chosen', { connection_id, reason: choice.reason });
  return false;
}
