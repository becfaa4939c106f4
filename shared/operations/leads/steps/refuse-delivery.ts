import type { Connection } from '../../../domain/connections/connection.ts';
import { isRejectionDue } from '../../../domain/connections/deliveries/delivery-notes.ts';
import type { Count } from '../../../domain/metric.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

export type RefuseDeliveryDeps = {
  connections: Pick<ConnectionStore, 'noteRejection'>;
  now: () => Date;
  count: Count;
};

/** The answer to a CRM's delivery. */
export type DeliveryReceipt = 'received' | 'unknown connection' | 'unauthorized' | 'invalid body' | 'payload too large';

/**
 * Refuses a delivery and records the reason in the connection's health, at most once a minute. A metric counts each one
 * with a wrong token (docs/tracing.md, "Refused requests").
 */
export async function refuseDelivery<Reason extends Exclude<DeliveryReceipt, 'received' | 'unknown connection'>>(
  deps: RefuseDeliveryDeps,
  connection: Connection,
  reason: Reason,
): Promise<Reason> {
  if (reason === 'unauthorized') deps.count('NotAuthenticated');
  const now = deps.now();
  if (isRejectionDue(connection, reason, now))
    await deps.connections.noteRejection(connection, { at: now.toISOString(), reason });
  return reason;
}
