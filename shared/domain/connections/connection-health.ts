import { secondsBetween } from '../time/instants.ts';
import type { Connection } from './connection.ts';
import { organizationOf } from './help-desk-organization.ts';
import { NO_DELIVERY, NO_DELIVERY_ANY_MORE } from './no-delivery.ts';

/**
 * The health of a connection. `not_connected`: disconnected, or no delivery has arrived yet. `rejecting`: deliveries
 * are refused, and none was accepted for an hour. `unhealthy`: the watch channel is inactive or unchecked, or the help
 * desk's settings allow no ticket. `silent`: the active channel delivers nothing although leads change,
 * or deliveries of CRM-A stay away for much longer than usual. `needs_reconnect`: the grant is gone.
 */
export const connectionStatuses = [
  'not_connected',
  'healthy',
  'unhealthy',
  'silent',
  'rejecting',
  'needs_reconnect',
] as const;
type ConnectionStatus = (typeof connectionStatuses)[number];

export type ConnectionHealth = { status: ConnectionStatus; reason: string | null };

const DISCONNECTED: ConnectionHealth = { status: 'not_connected', reason: 'disconnected' };
const healthy: ConnectionHealth = { status: 'healthy', reason: null };

/** Returns the status of a connection, with the reason unless it is healthy. */
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

function crmAHealth(connection: Connection): ConnectionHealth {
  if (!connection.token_hash) return DISCONNECTED;
  if (connection.last_delivery_at === undefined && !connection.rejection)
    return { status: 'not_connected', reason: NO_DELIVERY };
  return rejectingHealth(connection) ?? silentHealth(connection) ?? healthy;
}

function silentHealth({ silent_since, auto_call }: Connection): ConnectionHealth | undefined {
  return silent_since !== undefined && auto_call ? { status: 'silent', reason: NO_DELIVERY_ANY_MORE } : undefined;
}

function crmBHealth(connection: Connection): ConnectionHealth {
  const { channel, channel_check, silent_since } = connection;
  const broken = grantHealth(connection);
  if (broken) return broken;
  if (!channel) return { status: 'unhealthy', reason: 'the watch channel is not armed' };
  if (channel_check && channel_check.status !== 'active')
    return { status: 'unhealthy', reason: channel_check.reason ?? `the watch channel is ${channel_check.status}` };
  if (silent_since) return { status: 'silent', reason: 'leads change at the CRM and none is delivered' };
  // A refusal from before the arming says nothing about this channel.
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

/**
 * Anybody can post wrong tokens to an address. Refusals count only if no delivery was accepted in the hour before the
 * last of them, so that a flood cannot make a connection look broken while genuine deliveries arrive.
 */
const REFUSALS_COUNT_AFTER_SECONDS = 60 * 60;

function rejectingHealth({ rejection, last_delivery_at }: Connection, since = ''): ConnectionHealth | undefined {
  if (!rejection || rejection.at <= since) return undefined;
  if (last_delivery_at && secondsBetween(last_delivery_at, rejection.at) < REFUSALS_COUNT_AFTER_SECONDS)
    return undefined;
  return { status: 'rejecting', reason: rejection.reason };
}
