import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../../shared/domain/connections/connection-health.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findConnection, findOrg } from '../../cloud/records.ts';
import { facts, paragraphs, table } from '../../output.ts';
import type { Answer, OfOrg } from '../../verb.ts';

/** The URL for the events of the CRM; null for the help desk, which sends none. @param publicUrl of the stage. */
export const webhookUrl = (publicUrl: string, { connection_id, type }: Connection): string | null =>
  type === 'help-desk' ? null : new URL(`/api/webhooks/${type}/${connection_id}`, publicUrl).href;

/** The connection as operators see it, without tokens and their hashes. @param publicUrl of the stage. */
export const viewConnection = (connection: Connection, publicUrl: string) => ({
  connection_id: connection.connection_id,
  org_id: connection.org_id,
  type: connection.type,
  webhook_url: webhookUrl(publicUrl, connection),
  auto_call: connection.auto_call,
  assistant_id: connection.assistant_id ?? null,
  trigger_owner_user_id: connection.trigger_owner_user_id ?? null,
  settings: connection.settings ?? {},
  created_at: connection.created_at,
  ...(connection.type !== 'crm-a' && viewGrant(connection)),
  health: {
    ...connectionHealth(connection),
    checked_at: connection.channel_check?.at ?? null,
    last_delivery_at: connection.last_delivery_at ?? null,
    channel_expiry: connection.channel?.expires_at ?? null,
    needs_reconnect: connection.reconnect_needed !== undefined,
    rejection: connection.rejection ?? null,
    rejected_minutes: connection.rejected_minutes ?? 0,
  },
});

const viewGrant = ({ type, grant }: Connection) => ({
  data_center: grant?.data_center ?? null,
  api_domain: grant?.api_domain ?? null,
  granted_at: grant?.granted_at ?? null,
  // null: without a consent, or the help desk has not answered yet.
  ...(type === 'help-desk' && { organizations: grant?.organizations ?? null }),
});

/** Shows the connection as it is stored now, below sentences where some are given. */
export async function showConnection(cloud: Cloud, connectionId: string, ...sentences: string[]): Promise<Answer> {
  const [connection, publicUrl] = await Promise.all([findConnection(cloud, connectionId), cloud.publicUrl()]);
  const json = viewConnection(connection, publicUrl);
  return { json, people: paragraphs(sentences.length > 0 ? sentences.join('\n') : undefined, factsOf(json)) };
}

/** Draws the view of a connection for a terminal. */
export function factsOf({ settings, health, ...rest }: ReturnType<typeof viewConnection>): string {
  const { status, reason, checked_at, last_delivery_at, channel_expiry, rejection, rejected_minutes } = health;
  return facts({
    ...rest,
    ...(rest.type !== 'crm-a' && { settings }),
    health: reason ? `${status} (${reason})` : status,
    ...(rest.type === 'crm-b' && { checked_at, channel_expiry }),
    last_delivery_at,
    last_rejection: rejection && `${rejection.at} (${rejection.reason})`,
    rejected_minutes,
  });
}

export async function listConnections(cloud: Cloud, flags: OfOrg): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const publicUrl = await cloud.publicUrl();
  const connections = (await cloud.connections.listOfOrg(org_id)).map((one) => viewConnection(one, publicUrl));
  const rows = connections.map((one) => [
    one.connection_id,
    one.type,
    one.health.status,
    one.auto_call,
    one.assistant_id,
    one.trigger_owner_user_id,
    one.health.last_delivery_at,
    one.health.channel_expiry,
  ]);
  return {
    json: { connections },
    people: table(
      ['connection_id', 'type', 'health', 'auto_call', 'assistant', 'owner', 'last_delivery_at', 'channel_expiry'],
      rows,
      'The organization has no connections.',
    ),
  };
}
