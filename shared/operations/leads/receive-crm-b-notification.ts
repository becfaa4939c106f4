import { undeliveredSince } from '../../domain/connections/watch-channel.ts';
import { isTokenOf } from '../../domain/connections/webhook-token.ts';
import { newEventId } from '../../domain/ids.ts';
import type { Notification } from '../../integrations/crm-b/notification.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import type { ConnectionChannelStore } from '../../stores/connections/connection-channels.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type DeliveryReceipt, type RefuseDeliveryDeps, refuseDelivery } from './steps/refuse-delivery.ts';

export type ReceiveCrmBNotificationDeps = RefuseDeliveryDeps & {
  connections: Pick<ConnectionStore, 'get'>;
  channels: Pick<ConnectionChannelStore, 'openGap'>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'sendMany'>;
};

export type NotificationDelivery = {
  connectionId: string;
  /** Asked once the connection is known. The token stands in the body: one that cannot be read has none. */
  open: () => { token: string | undefined; read: () => Notification | 'too large' | undefined };
};

/**
 * Takes a notification of CRM-B: authenticates it and queues one event per lead, nothing else (interface, "POST
 * /api/webhooks/crm-b/{connectionId}"). One read, then the sends side by side; a refused one writes to the connection's
 * health instead. One that is not about leads to be called, or names none, is one event, so that Activity shows it.
 * @throws when the queue did not take every event: the sender sees 500, and what was taken is decided once all the same.
 * The CRM repeats nothing: the next check of its channel catches up on what changed since.
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
  const eventOf = (leadId?: string): LeadEvent => ({
    event_id: newEventId(now),
    connection_id: connection.connection_id,
    source: 'webhook',
    event,
    test: false,
    at: now.toISOString(),
    lead: { ...(leadId !== undefined && { lead_id: leadId }), phones: [], do_not_call: false, fields: {} },
    ...(ignored !== undefined && { ignored }),
    payload_keys: keys,
  });
  // A lone lead is named even where nothing is done about it.
  const isOne = ids.length === 0 || ignored !== undefined;
  try {
    await deps.leadQueue.sendMany(isOne ? [eventOf(ids.length === 1 ? ids[0] : undefined)] : ids.map(eventOf));
  } catch (error) {
    await deps.channels.openGap(connection.connection_id, undeliveredSince(now)).catch((second: Error) => {
      throw new AggregateError([error, second], 'the queue did not take every event, and the gap is not noted');
    });
    throw error;
  }
  return 'received';
}
