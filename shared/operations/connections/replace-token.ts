import type { Connection } from '../../domain/connections/connection.ts';
import { hashWebhookToken, newWebhookToken } from '../../domain/connections/deliveries/webhook-token.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import { type ArmChannelDeps, armChannel } from './arm-channel.ts';
import { type AuditConnectionDeps, auditConnection } from './steps/audit-connection.ts';

export type ReplaceTokenDeps = AuditConnectionDeps & {
  connections: Pick<ConnectionStore, 'replacingToken'>;
  /** For CRM-B. */
  armChannel: (connectionId: string, options: Parameters<typeof armChannel>[2]) => Promise<boolean>;
};

export type ReplacingToken =
  /** CRM-A's `token` in plain text, shown once; CRM-B's token is given only to its watch channel. */
  | { kind: 'replaced'; token: string | undefined }
  | { kind: 'connection_not_found' }
  /** A help desk sends nothing, so it has no token. */
  | { kind: 'no_token' }
  /** CRM-B needs a consent first. */
  | { kind: 'not_connected' }
  /** The token was not replaced: CRM-B armed no channel, or another arming was faster. */
  | { kind: 'channel_not_armed' };

/**
 * Replaces the webhook token of a connection, or gives a disconnected CRM-A connection a token again. The old token is
 * refused from the next request on (docs/leads.md, "A new token"). CRM-B gets a new watch channel with it.
 */
export async function replaceToken(
  deps: ReplaceTokenDeps,
  actor: Actor,
  connection: Connection,
): Promise<ReplacingToken> {
  const { connection_id, type, grant } = connection;
  const write = auditConnection(deps, actor, connection, 'connection.token_replaced');
  if (type === 'crm-a') {
    const token = newWebhookToken();
    const next = { hash: hashWebhookToken(token), at: deps.now().toISOString() };
    const token_write = deps.connections.replacingToken(connection_id, next);
    const { committed } = await deps.transact({ connection: token_write, audit: write });
    return committed ? { kind: 'replaced', token } : { kind: 'connection_not_found' };
  }
  if (type !== 'crm-b') return { kind: 'no_token' };
  if (!grant) return { kind: 'not_connected' };
  const isArmed = await deps.armChannel(connection_id, { extraWrite: { transact: deps.transact, write } });
  return isArmed ? { kind: 'replaced', token: undefined } : { kind: 'channel_not_armed' };
}

/** Binds the arming of channels to its dependencies. */
export const armingWith =
  (deps: ArmChannelDeps): ReplaceTokenDeps['armChannel'] =>
  (connectionId, options) =>
    armChannel(deps, connectionId, options);
