import { hashWebhookToken, newWebhookToken } from '../../domain/connections/webhook-token.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';

export type RotateCrmATokenDeps = { connections: Pick<ConnectionStore, 'update'> };

/**
 * Replaces the webhook token of a connection to CRM-A. The old token is refused from the next request on.
 * @returns the new token in clear; undefined if the connection does not exist
 */
export async function rotateCrmAToken(deps: RotateCrmATokenDeps, connectionId: string): Promise<string | undefined> {
  const token = newWebhookToken();
  return (await deps.connections.update(connectionId, { token_hash: hashWebhookToken(token) })) ? token : undefined;
}
