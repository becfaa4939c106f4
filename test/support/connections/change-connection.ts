import type { Actor } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import {
  type ConnectionEdit,
  type UpdateConnectionDeps,
  updateConnection,
} from '../../../shared/operations/connections/update-connection.ts';

export const operator: Actor = { kind: 'operator', name: 'test' };

let tokens = 0;

/** Changes a connection's settings, as an operator does. @throws if the connection is missing or not changed */
export async function changeConnection(
  deps: Omit<UpdateConnectionDeps, 'listOrganizations' | 'newToken'>,
  connectionId: string,
  edit: ConnectionEdit,
): Promise<void> {
  const connection = await deps.connections.get(connectionId);
  if (!connection) throw new Error(`no connection ${connectionId}`);
  const listOrganizations = async () => ({ kind: 'unavailable' as const, reason: 'a test' });
  tokens += 1;
  const newToken = () => String(tokens);
  const { kind } = await updateConnection({ ...deps, listOrganizations, newToken }, operator, connection, edit);
  if (kind !== 'updated') throw new Error(`the connection was not changed: ${kind}`);
}
