import type { Connection } from '../../../domain/connections/connection.ts';
import { isRejectionDue } from '../../../domain/connections/delivery-notes.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

export type RefuseDeliveryDeps = {
  connections: Pick<ConnectionStore, 'noteRejection'>;
  now: () => Date;
};

/** The answer to a CRM's delivery. */
export type DeliveryReceipt = 'received' | 'unknown connection' | 'unauthorized' | 'invalid body' | 'payload too large';

/** Refuses a delivery and records the reason in the connection's health, at most once a minute. */
export async function refuseDelivery<Reason extends Exclude<DeliveryReceipt, 'received' | 'unknown connection'>>(
  deps: RefuseDeliveryDeps,
  connection: Connection,
  reason: Reason,
): Promise<Reason> {
  const now = deps.now();
  if (isRejectionDue(connection, now))
    await deps.connections.noteRejection(connection, { at: now.toISOString(), reason });
  return reason;
}
