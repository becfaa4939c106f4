import type { Connection } from '../../domain/connections/connection.ts';
import type { OauthType } from '../../domain/connections/consent.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';

export type CreateOauthConnectionDeps = { connections: Pick<ConnectionStore, 'create'>; now: () => Date };

/**
 * Creates a connection to CRM-B or the help desk. A person's consent connects it (begin-consent.ts).
 * @returns undefined if the organization has one already: an organization has one connection of each type
 */
export async function createOauthConnection(
  deps: CreateOauthConnectionDeps,
  settings: Pick<Connection, 'org_id' | 'auto_call' | 'assistant_id' | 'trigger_owner_user_id' | 'settings'> & {
    type: OauthType;
  },
): Promise<Connection | undefined> {
  const connection: Connection = {
    connection_id: connectionIdFor(settings.org_id, settings.type),
    ...settings,
    created_at: deps.now().toISOString(),
  };
  return (await deps.connections.create(connection)) ? connection : undefined;
}
