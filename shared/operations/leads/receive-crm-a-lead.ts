import { isWebhookToken } from '../../domain/connections/deliveries/webhook-token.ts';
import { newEventId } from '../../domain/ids.ts';
import type { LeadPayload } from '../../integrations/crm-a/lead-payload.ts';
import { type DeliveryReceipt, noteDelivery, type ReceiveDeliveryDeps, refuseDelivery } from './steps/delivery.ts';

export type LeadDelivery = {
  connectionId: string;
  /** The tokens of the two headers. A valid `testToken` marks the events as tests. */
  token: string | undefined;
  testToken: string | undefined;
  /** Reads the body after the sender is authenticated; undefined if it is not a body of leads. */
  read: () => LeadPayload[] | 'too large' | undefined;
};

/**
 * Authenticates a delivery of CRM-A and queues one event per lead, with one read and parallel sends (docs/leads.md,
 * "The CRM-A webhook"). The delivery is recorded in the connection's health.
 * @throws if the queue did not accept every event. The sender sees 500; accepted events are processed nevertheless
 */
export async function receiveCrmALead(deps: ReceiveDeliveryDeps, delivery: LeadDelivery): Promise<DeliveryReceipt> {
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
    payloads.map(({ event, lead, keys }, index) => ({
      event_id: newEventId(now),
      connection_id: connection.connection_id,
      source: 'webhook',
      event,
      test: isTest,
      // In the order of the list, so that the last entry of a lead decides, and none is later than its receipt.
      at: new Date(now.getTime() - (payloads.length - 1 - index)).toISOString(),
      lead,
      payload_keys: keys,
    })),
  );
  await noteDelivery(deps, connection, now);
  return 'received';
}
