import type { Connection } from '../../domain/connections/connection.ts';
import { hashWebhookToken, newWebhookToken } from '../../domain/connections/webhook-token.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';

export type CreateCrmAConnectionDeps = { connections: Pick<ConnectionStore, 'create' | 'update'>; now: () => Date };

/** The token in clear: it can be shown now and never again. */
export type Connected = { connection: Connection; token: string };

/** Connects an org to its CRM-A. @returns undefined where it is connected already: one connection per integration and org. */
export async function createCrmAConnection(
  deps: CreateCrmAConnectionDeps,
  settings: Pick<Connection, 'org_id' | 'auto_call' | 'assistant_id' | 'trigger_owner_user_id'>,
): Promise<Connected | undefined> {
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

/** Gives the connection a new token; the old one fails on the next request. @returns undefined where there is no such connection. */
export async function rotateCrmAToken(
  deps: CreateCrmAConnectionDeps,
  connectionId: string,
): Promise<string | undefined> {
  const token = newWebhookToken();
  return (await deps.connections.update(connectionId, { token_hash: hashWebhookToken(token) })) ? token : undefined;
}
