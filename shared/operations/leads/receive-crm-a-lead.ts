import { isWebhookToken } from '../../domain/connections/webhook-token.ts';
import { newEventId } from '../../domain/ids.ts';
import type { LeadPayload } from '../../integrations/crm-a/lead-payload.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type DeliveryReceipt, type RefuseDeliveryDeps, refuseDelivery } from './steps/refuse-delivery.ts';

export type ReceiveCrmALeadDeps = RefuseDeliveryDeps & {
  connections: Pick<ConnectionStore, 'get'>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'sendMany'>;
};

export type LeadDelivery = {
  connectionId: string;
  /** What the headers carry. One of `testToken` marks the events as tests. */
  token: string | undefined;
  testToken: string | undefined;
  /** Asked once the sender is known; undefined where the body is none. */
  read: () => LeadPayload[] | 'too large' | undefined;
};

/**
 * Takes a delivery of CRM-A: authenticates it and queues one event per lead, nothing else (interface, "POST
 * /api/webhooks/crm-a/{connectionId}"). One read and one send; a refused delivery writes to the connection's health
 * instead.
 * @throws when the queue did not take every event: the sender sees 500, and what was taken is decided once all the same.
 */
export async function receiveCrmALead(deps: ReceiveCrmALeadDeps, delivery: LeadDelivery): Promise<DeliveryReceipt> {
  const connection = await deps.connections.get(delivery.connectionId);
  if (connection?.type !== 'crm-a') return 'unknown connection';
  const isGenuine = isWebhookToken(delivery.token, connection.token_hash);
  const isTest = !isGenuine && isWebhookToken(delivery.testToken, connection.token_hash);
  if (!isGenuine && !isTest) return refuseDelivery(deps, connection, 'unauthorized');

  const payloads = delivery.read();
  if (payloads === undefined) return refuseDelivery(deps, connection, 'invalid body');
  if (payloads === 'too large') return refuseDelivery(deps, connection, 'payload too large');

  const now = deps.now();
  await deps.leadQueue.sendMany(
    payloads.map(({ event, lead, keys }) => ({
      event_id: newEventId(now),
      connection_id: connection.connection_id,
      source: 'webhook',
      event,
      test: isTest,
      at: now.toISOString(),
      lead,
      payload_keys: keys,
    })),
  );
  return 'received';
}
