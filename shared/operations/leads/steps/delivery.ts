import type { Connection } from '../../../domain/connections/connection.ts';
import { isDeliveryDue, isRejectionDue } from '../../../domain/connections/deliveries/delivery-notes.ts';
import { rhythmAfter } from '../../../domain/connections/deliveries/delivery-rhythm.ts';
import type { Count } from '../../../domain/metric.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import type { QueueSender } from '../../../stores/queue.ts';

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

export type NoteDeliveryDeps = {
  connections: Pick<ConnectionStore, 'noteDelivery'>;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/**
 * Records an accepted delivery in the connection's health, at most once a minute. It does so when the delivery is
 * accepted, not when it is processed, so that our own backlog never looks like a silent channel. A failure is only
 * logged, because the delivery is already on the queue.
 */
export async function noteDelivery(deps: NoteDeliveryDeps, connection: Connection, at: Date): Promise<void> {
  const { connection_id } = connection;
  const instant = at.toISOString();
  if (!isDeliveryDue(connection, instant)) return;
  // CRM-B proves a silence by its own list of changes.
  const rhythm = connection.type === 'crm-a' ? rhythmAfter(connection, instant) : undefined;
  await deps.connections
    .noteDelivery(connection_id, instant, rhythm)
    .catch(({ message }: Error) => deps.warn('a delivery could not be recorded', { connection_id, reason: message }));
}

/** The dependencies of receiving a CRM's deliveries. */
export type ReceiveDeliveryDeps = RefuseDeliveryDeps &
  NoteDeliveryDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    leadQueue: Pick<QueueSender<LeadEvent>, 'sendMany'>;
  };
