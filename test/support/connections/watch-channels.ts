import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { isWebhookToken } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import { stores } from '../organizations/orgs.ts';
import { crmB } from '../stack/stack.ts';
import type { CrmBConnection } from './crm-b.ts';

export async function connectionNow({ connectionId }: Pick<CrmBConnection, 'connectionId'>): Promise<Connection> {
  const connection = await stores.connections.get(connectionId);
  if (!connection) throw new Error(`no connection ${connectionId}`);
  return connection;
}

/** Lists the CRM's channels for a connection. */
export const channelsOf = async ({ connectionId }: Pick<CrmBConnection, 'connectionId'>) =>
  (await crmB.channels()).filter(({ notifyUrl }) => notifyUrl.endsWith(`/${connectionId}`));

/** Fails unless the CRM has exactly the connection's channel, and the connection accepts only that channel's token. */
export async function expectOneChannel(connected: Pick<CrmBConnection, 'connectionId'>) {
  const [connection, channels] = await Promise.all([connectionNow(connected), channelsOf(connected)]);
  const [channel] = channels;
  expect(channels).toHaveLength(1);
  expect(connection.channel).toEqual({
    id: channel?.channelId,
    armed_at: expect.any(String),
    expires_at: new Date(channel?.expiresAt ?? 0).toISOString(),
  });
  expect(isWebhookToken(channel?.token ?? undefined, connection.token_hash)).toBe(true);
  expect(connection.pending_token_hashes).toBeUndefined();
  return { connection, channel: connection.channel as NonNullable<Connection['channel']>, token: channel?.token ?? '' };
}
