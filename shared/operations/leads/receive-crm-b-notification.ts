import { credibleSentAt, undeliveredSince } from '../../domain/connections/deliveries/watch-channel.ts';
import { isTokenOf } from '../../domain/connections/deliveries/webhook-token.ts';
import { newEventId } from '../../domain/ids.ts';
import type { Notification } from '../../integrations/crm-b/notification.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import type { ConnectionChannelStore } from '../../stores/connections/connection-channels.ts';
import { type DeliveryReceipt, noteDelivery, type ReceiveDeliveryDeps, refuseDelivery } from './steps/delivery.ts';

export type ReceiveCrmBNotificationDeps = ReceiveDeliveryDeps & {
  channels: Pick<ConnectionChannelStore, 'leaveToCatchUp'>;
};

export type NotificationDelivery = {
  connectionId: string;
  /** Reads the body after the connection is known. The token is part of the body. */
  open: () => { token: string | undefined; read: () => Notification | 'too large' | undefined };
};

/**
 * Authenticates a notification of CRM-B and queues one event per lead, with one read and parallel sends (docs/crm-b.md,
 * "Notifications"). The notification is recorded in the connection's health. A notification without callable leads
 * becomes one event, so that Activity shows it.
 * @throws if the queue did not accept every event. The sender sees 500; accepted events are processed nevertheless.
 * CRM-B repeats nothing, so the gap is recorded for the next check of the channel
 */
export async function receiveCrmBNotification(
  deps: ReceiveCrmBNotificationDeps,
  delivery: NotificationDelivery,
): Promise<DeliveryReceipt> {
  const connection = await deps.connections.get(delivery.connectionId);
  if (connection?.type !== 'crm-b') return 'unknown connection';
  const now = deps.now();
  const { token, read } = delivery.open();
  if (!isTokenOf(connection, token, now)) return refuseDelivery(deps, connection, 'unauthorized');
  const notification = read();
  if (notification === undefined) return refuseDelivery(deps, connection, 'invalid body');
  if (notification === 'too large') return refuseDelivery(deps, connection, 'payload too large');

  const { ids, event, ignored, keys } = notification;
  const changedAt = credibleSentAt(notification.sentAt, now);
  const eventOf = (leadId?: string): LeadEvent => ({
    event_id: newEventId(now),
    connection_id: connection.connection_id,
    source: 'webhook',
    event,
    test: false,
    at: now.toISOString(),
    ...(changedAt !== undefined && { changed_at: changedAt }),
    lead: { ...(leadId !== undefined && { lead_id: leadId }), phones: [], do_not_call: false, fields: {} },
    ...(ignored !== undefined && { ignored }),
    payload_keys: keys,
  });
  // An ignored notification of one lead still names it in Activity.
  const isSingleEvent = ids.length === 0 || ignored !== undefined;
  try {
    await deps.leadQueue.sendMany(isSingleEvent ? [eventOf(ids.length === 1 ? ids[0] : undefined)] : ids.map(eventOf));
  } catch (error) {
    const from = undeliveredSince(connection, changedAt === undefined ? now : new Date(changedAt), now);
    await deps.channels.leaveToCatchUp(connection.connection_id, from, now.toISOString()).catch((second: Error) => {
      throw new AggregateError(
        [error, second],
        'the queue did not accept every event, and the gap could not be recorded',
      );
    });
    throw error;
  }
  await noteDelivery(deps, connection, now);
  return 'received';
}
