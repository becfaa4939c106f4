import * as z from 'zod/mini';
import { secondsBetween } from '../time/instants.ts';
import { accessSchema, grantSchema } from './grant.ts';
import { organizationOf } from './help-desk-organization.ts';

const instant = z.string();

/** What an org may connect: one of each (interface, "Connection"). */
export const connectionTypes = ['crm-a', 'crm-b', 'help-desk'] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** A connection as it is kept. */
export const connectionSchema = z.object({
  connection_id: z.string(),
  org_id: z.string(),
  type: z.enum(connectionTypes),
  created_at: instant,
  /** Off: events are received, and no call is made. */
  auto_call: z.boolean(),
  /** Who conducts the calls. */
  assistant_id: z.optional(z.string()),
  /** The owner that a lead must have to be called. */
  trigger_owner_user_id: z.optional(z.string()),
  /** What only connections of its type have (crm-b-settings.ts). */
  settings: z.optional(z.record(z.string(), z.unknown())),

  // Who may deliver
  /** SHA-256 of the webhook token; absent = nobody. */
  token_hash: z.optional(z.string()),
  /** Of tokens that a watch channel is being armed with: taken too, until one of them is promoted. */
  pending_token_hashes: z.optional(z.array(z.string())),
  /** Of the token before, while its channel may still deliver. */
  former_token: z.optional(z.object({ hash: z.string(), until: instant })),
  /** When the last delivery came that was taken; written at most once a minute. */
  last_delivery_at: z.optional(instant),
  /** The last delivery that was refused; written at most once a minute. */
  rejection: z.optional(z.object({ at: instant, reason: z.string() })),
  /** Minutes in which deliveries were refused. */
  rejected_minutes: z.optional(z.number()),

  // OAuth (crm-b, help-desk)
  /** Absent: never connected, or disconnected. */
  grant: z.optional(grantSchema),
  access: z.optional(accessSchema),
  /** Who refreshes the access token at the moment. */
  refresh_lease: z.optional(z.object({ holder: z.string(), until: instant })),
  /** The refreshes of this grant within ten minutes. */
  refreshes: z.optional(z.array(instant)),
  /** The grant is gone at the provider: only a person can connect again. */
  reconnect_needed: z.optional(z.object({ at: instant, reason: z.string() })),

  // The watch channel (crm-b)
  channel: z.optional(z.object({ id: z.string(), armed_at: instant, expires_at: instant })),
  /** What the last look at the provider found. */
  channel_check: z.optional(
    z.object({ at: instant, status: z.enum(['active', 'inactive', 'unchecked']), reason: z.optional(z.string()) }),
  ),
  /** Since when leads change at the provider and none is delivered, although the channel looks active. */
  silent_since: z.optional(instant),
  /** Since when changes were missed that nobody has caught up on yet. */
  catch_up_from: z.optional(instant),
});

export type Connection = z.infer<typeof connectionSchema>;

/** Whether events of the connection may lead to calls: CRM-A's has a token, the others' a grant. */
export const isConnected = ({ type, token_hash, grant }: Pick<Connection, 'type' | 'token_hash' | 'grant'>): boolean =>
  type === 'crm-a' ? token_hash !== undefined : grant !== undefined;

/**
 * `not_connected`: no delivery has ever come, or the connection is off. `rejecting`: the last ones were refused.
 * `unhealthy`: the watch channel is inactive or could not be checked; of the help desk, no ticket can be made as it is set.
 * `silent`: the channel is active and delivers nothing although leads changed. `needs_reconnect`: the grant is gone.
 */
export type ConnectionStatus = 'not_connected' | 'healthy' | 'unhealthy' | 'silent' | 'rejecting' | 'needs_reconnect';

export type ConnectionHealth = { status: ConnectionStatus; reason: string | null };

const DISCONNECTED: ConnectionHealth = { status: 'not_connected', reason: 'disconnected' };
const healthy: ConnectionHealth = { status: 'healthy', reason: null };

/** @returns how a connection does, and why it is not healthy. */
export function connectionHealth(connection: Connection): ConnectionHealth {
  switch (connection.type) {
    case 'crm-a':
      return crmAHealth(connection);
    case 'crm-b':
      return crmBHealth(connection);
    case 'help-desk':
      return helpDeskHealth(connection);
  }
}

export const connectionStatus = (connection: Connection): ConnectionStatus => connectionHealth(connection).status;

function crmAHealth(connection: Connection): ConnectionHealth {
  if (!connection.token_hash) return DISCONNECTED;
  if (connection.last_delivery_at === undefined && !connection.rejection)
    return { status: 'not_connected', reason: 'no delivery has come yet' };
  return rejectingHealth(connection) ?? healthy;
}

function crmBHealth(connection: Connection): ConnectionHealth {
  const { channel, channel_check, silent_since } = connection;
  const broken = grantHealth(connection);
  if (broken) return broken;
  if (!channel) return { status: 'unhealthy', reason: 'the watch channel is not armed' };
  if (channel_check && channel_check.status !== 'active')
    return { status: 'unhealthy', reason: channel_check.reason ?? `the watch channel is ${channel_check.status}` };
  if (silent_since) return { status: 'silent', reason: 'leads change at the CRM and none is delivered' };
  // What was refused before this channel was armed tells nothing of it.
  return rejectingHealth(connection, channel.armed_at) ?? healthy;
}

function helpDeskHealth(connection: Connection): ConnectionHealth {
  const broken = grantHealth(connection);
  if (broken) return broken;
  const unhealthy = (reason: string): ConnectionHealth => ({ status: 'unhealthy', reason });
  if (connection.settings?.departmentId === undefined)
    return unhealthy(`no department is set: connection update --settings '{"departmentId": …}'`);
  const choice = organizationOf(connection);
  if (choice.kind === 'not_chosen') return unhealthy(choice.reason);
  if (choice.kind === 'not_asked')
    return unhealthy(`its organizations are not known: connection update --settings '{}' asks for them`);
  return healthy;
}

function grantHealth({ grant, reconnect_needed }: Connection): ConnectionHealth | undefined {
  if (!grant) return DISCONNECTED;
  if (reconnect_needed) return { status: 'needs_reconnect', reason: reconnect_needed.reason };
  return undefined;
}

function rejectingHealth({ rejection, last_delivery_at }: Connection, since = ''): ConnectionHealth | undefined {
  if (!rejection || rejection.at <= (last_delivery_at ?? '') || rejection.at <= since) return undefined;
  return { status: 'rejecting', reason: rejection.reason };
}

/** Deliveries and refusals are written down once within this time. */
export const NOTED_EVERY_SECONDS = 60;

/** Whether a refused delivery is written down: once a minute at most, whoever keeps sending. */
export const isRejectionDue = ({ rejection }: Connection, now: Date): boolean =>
  !rejection || secondsBetween(rejection.at, now) >= NOTED_EVERY_SECONDS;

/** Whether a taken delivery is written down: once a minute, and at once where it ends a time of refusals or of silence. */
export const isDeliveryDue = (
  { last_delivery_at, rejection, silent_since }: Connection,
  deliveredAt: string,
): boolean =>
  !last_delivery_at ||
  secondsBetween(last_delivery_at, deliveredAt) >= NOTED_EVERY_SECONDS ||
  (silent_since !== undefined && deliveredAt > silent_since) ||
  (rejection !== undefined && rejection.at > last_delivery_at && deliveredAt > rejection.at);
