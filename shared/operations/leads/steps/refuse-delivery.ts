import type { Connection } from '../../../domain/connections/connection.ts';
import { isRejectionDue } from '../../../domain/connections/delivery-notes.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

export type RefuseDeliveryDeps = {
  connections: Pick<ConnectionStore, 'noteRejection'>;
  now: () => Date;
};

/** What a CRM is told of its delivery. */
export type DeliveryReceipt = 'received' | 'unknown connection' | 'unauthorized' | 'invalid body' | 'payload too large';

/** Refuses a delivery for this reason, which goes to the health of the connection, once a minute at most. */
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
