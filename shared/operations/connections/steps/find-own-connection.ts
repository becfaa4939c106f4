import type { Connection } from '../../../domain/connections/connection.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

/** Reads a connection of an organization. @returns undefined for another organization's connection, too */
export async function findOwnConnection(
  { connections }: { connections: Pick<ConnectionStore, 'get'> },
  orgId: string,
  connectionId: string | undefined,
): Promise<Connection | undefined> {
  const connection = await connections.get(connectionId ?? '');
  return connection?.org_id === orgId ? connection : undefined;
}
