import type { Connection } from '../../domain/connections/connection.ts';
import { hashWebhookToken, newWebhookToken } from '../../domain/connections/webhook-token.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';

export type CreateCrmAConnectionDeps = { connections: Pick<ConnectionStore, 'create'>; now: () => Date };

/** A connection with its token in clear, which is shown once and not stored. */
export type CreatedCrmAConnection = { connection: Connection; token: string };

/**
 * Creates an organization's connection to CRM-A.
 * @returns undefined if the organization has one already: an organization has one connection of each type
 */
export async function createCrmAConnection(
  deps: CreateCrmAConnectionDeps,
  settings: Pick<Connection, 'org_id' | 'auto_call' | 'assistant_id' | 'trigger_owner_user_id'>,
): Promise<CreatedCrmAConnection | undefined> {
  const token = newWebhookToken();
  const connection: Connection = {
    connection_id: connectionIdFor(settings.org_id, 'crm-a'),
    ...settings,
    type: 'crm-a',
    created_at: deps.now().toISOString(),
    token_hash: hashWebhookToken(token),
  };
  return (await deps.connections.create(connection)) ? { connection, token } : undefined;
}
