import type { Connection } from './connection.ts';
import { refusalsCountAfter, weekdaySecondsBetween } from './deliveries/delivery-rhythm.ts';
import { NO_DELIVERY, NO_RECENT_DELIVERY } from './deliveries/no-delivery.ts';
import { countsAtOnce, rejectionOfToken } from './deliveries/refused-deliveries.ts';
import { isOfFormerConsent } from './deliveries/watch-channel.ts';
import { organizationOf } from './help-desk-organization.ts';

/** The states that require action. */
export const brokenStatuses = ['unhealthy', 'silent', 'rejecting', 'needs_reconnect'] as const;
export type BrokenStatus = (typeof brokenStatuses)[number];

/**
 * The health of a connection. `not_connected`: disconnected, or no delivery has arrived yet. `rejecting`: deliveries
 * are refused, and probably not a stranger's. `unhealthy`: the watch channel is not armed, inactive or unchecked, or
 * the help desk's settings allow no ticket. `silent`: the active channel delivers nothing although leads change, or
 * CRM-A has delivered nothing for much longer than usual. `needs_reconnect`: the vendor has ended the grant.
 */
export const connectionStatuses = ['not_connected', 'healthy', ...brokenStatuses] as const;

export type ConnectionHealth =
  | { status: 'healthy'; reason: null }
  | { status: 'not_connected'; reason: string }
  | { status: BrokenStatus; reason: string };

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
  const health = refusedHealth(connection) ?? silentHealth(connection) ?? wrongTokenHealth(connection);
  if (health) return health;
  return connection.last_delivery_at === undefined ? { status: 'not_connected', reason: NO_DELIVERY } : healthy;
}

function silentHealth({ silent_since, auto_call }: Connection): ConnectionHealth | undefined {
  return silent_since !== undefined && auto_call ? { status: 'silent', reason: NO_RECENT_DELIVERY } : undefined;
}

/** Counts a wrong token once no delivery has arrived for longer than usual: the CRM itself may have sent the token. */
function wrongTokenHealth(connection: Connection): ConnectionHealth | undefined {
  const { last_delivery_at, delivery_rhythm } = connection;
  const rejection = rejectionOfToken(connection);
  if (!rejection || !last_delivery_at) return undefined;
  const quietSeconds = weekdaySecondsBetween(last_delivery_at, rejection.at);
  return quietSeconds > refusalsCountAfter(delivery_rhythm)
    ? { status: 'rejecting', reason: rejection.reason }
    : undefined;
}

function crmBHealth(connection: Connection): ConnectionHealth {
  const { channel, channel_check, silent_since } = connection;
  const broken = grantHealth(connection);
  if (broken) return broken;
  if (!channel) return { status: 'unhealthy', reason: 'the watch channel is not armed' };
  // The last check looked at the former consent's channel, which the service has stopped since.
  if (isOfFormerConsent(connection))
    return { status: 'unhealthy', reason: 'the watch channel was not armed after the last consent' };
  if (channel_check && channel_check.status !== 'active')
    return { status: 'unhealthy', reason: channel_check.reason ?? `the watch channel is ${channel_check.status}` };
  if (silent_since) return { status: 'silent', reason: 'leads change at the CRM and none is delivered' };
  // Wrong tokens never count once the channel has delivered: CRM-B's own list of changes proves a silence.
  return refusedHealth(connection) ?? healthy;
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
    return unhealthy(`its organizations are not known: connection update --settings '{}' requests them`);
  return healthy;
}

function grantHealth({ grant, reconnect_needed }: Connection): ConnectionHealth | undefined {
  if (!grant) return DISCONNECTED;
  if (reconnect_needed) return { status: 'needs_reconnect', reason: reconnect_needed.reason };
  return undefined;
}

function refusedHealth(connection: Connection): ConnectionHealth | undefined {
  const { rejection } = connection;
  return rejection && countsAtOnce(connection) ? { status: 'rejecting', reason: rejection.reason } : undefined;
}
