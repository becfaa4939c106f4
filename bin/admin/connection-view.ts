import { type Connection, connectionHealth } from '../../shared/domain/connection.ts';
import type { Cloud } from './cloud.ts';
import type { Answer } from './command.ts';
import { Refusal } from './failures.ts';
import { facts } from './output.ts';

/** @throws Refusal connection_not_found. */
export async function findConnection(cloud: Cloud, connectionId: string): Promise<Connection> {
  const connection = await cloud.connections.get(connectionId);
  if (!connection) throw connectionNotFound(connectionId);
  return connection;
}

/** The refusal of a connection that is not there. */
export const connectionNotFound = (connectionId: string): Refusal =>
  new Refusal('connection_not_found', `There is no connection ${connectionId}: connection list --org … shows them.`);

/** Where the CRM sends its events. @param publicUrl of the stage. */
export const webhookUrl = (publicUrl: string, { connection_id, type }: Connection): string =>
  new URL(`/api/webhooks/${type}/${connection_id}`, publicUrl).href;

/** The connection as operators see it: no hash of its token. @param publicUrl of the stage. */
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

/** The connection as it is kept now, below a sentence. */
export async function showConnection(cloud: Cloud, connectionId: string, sentence?: string): Promise<Answer> {
  const [connection, publicUrl] = await Promise.all([findConnection(cloud, connectionId), cloud.publicUrl()]);
  const json = viewConnection(connection, publicUrl);
  const people = factsOf(json);
  return { json, people: sentence ? `${sentence}\n\n${people}` : people };
}

/** A connection's view for people. */
export function factsOf({ settings: _, health, ...rest }: ReturnType<typeof viewConnection>): string {
  const { status, reason, last_delivery_at, rejection, rejected_minutes } = health;
  return facts({
    ...rest,
    health: reason ? `${status} (${reason})` : status,
    last_delivery_at,
    last_rejection: rejection && `${rejection.at} (${rejection.reason})`,
    rejected_minutes,
  });
}
