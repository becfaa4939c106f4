import type { Connection } from '../domain/connection.ts';
import { connectionIdFor } from '../domain/ids.ts';
import type { ConnectionStore } from '../stores/connections.ts';

export type CreateOauthConnectionDeps = { connections: Pick<ConnectionStore, 'create'>; now: () => Date };

/** A connection that a customer consents to later. @returns undefined where the org has one of this type: one per integration and org. */
export async function createOauthConnection(
  deps: CreateOauthConnectionDeps,
  given: Pick<Connection, 'org_id' | 'auto_call' | 'assistant_id' | 'trigger_owner_user_id' | 'settings'> & {
    type: 'crm-b' | 'help-desk';
  },
): Promise<Connection | undefined> {
  const connection: Connection = {
    connection_id: connectionIdFor(given.org_id, given.type),
    ...given,
    created_at: deps.now().toISOString(),
  };
  return (await deps.connections.create(connection)) ? connection : undefined;
}
