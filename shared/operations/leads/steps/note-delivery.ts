import type { Connection } from '../../../domain/connections/connection.ts';
import { isDeliveryDue } from '../../../domain/connections/deliveries/delivery-notes.ts';
import { rhythmAfter } from '../../../domain/connections/deliveries/delivery-rhythm.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

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
