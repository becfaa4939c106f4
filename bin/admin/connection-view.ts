import type { Connection } from '../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../shared/domain/connections/connection-health.ts';
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

/** @throws Refusal connection_not_found, or no_leads where it is the help desk's. */
export async function findCrm(cloud: Cloud, connectionId: string): Promise<Connection> {
  const connection = await findConnection(cloud, connectionId);
  if (connection.type === 'help-desk')
    throw new Refusal(
      'no_leads',
      `The connection ${connectionId} is of the help desk: no leads come from there. What became of a call's ticket: call show.`,
    );
  return connection;
}

/** The refusal of a connection that is not there. */
export const connectionNotFound = (connectionId: string): Refusal =>
  new Refusal('connection_not_found', `There is no connection ${connectionId}: connection list --org … shows them.`);

/** Where the CRM sends its events; the help desk sends none. @param publicUrl of the stage. */
export const webhookUrl = (publicUrl: string, { connection_id, type }: Connection): string | null =>
  type === 'help-desk' ? null : new URL(`/api/webhooks/${type}/${connection_id}`, publicUrl).href;

/** The connection as operators see it: no token, sealed or hashed. @param publicUrl of the stage. */
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
  // Not known: never connected, or the help desk has not told yet.
  ...(type === 'help-desk' && { organizations: grant?.organizations ?? null }),
});

/** The connection as it is kept now, below a sentence. */
export async function showConnection(cloud: Cloud, connectionId: string, sentence?: string): Promise<Answer> {
  const [connection, publicUrl] = await Promise.all([findConnection(cloud, connectionId), cloud.publicUrl()]);
  const json = viewConnection(connection, publicUrl);
  const people = factsOf(json);
  return { json, people: sentence ? `${sentence}\n\n${people}` : people };
}

/** A connection's view for people. */
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
