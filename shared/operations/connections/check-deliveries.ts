import { isNewlySilent } from '../../domain/connections/deliveries/delivery-rhythm.ts';
import type { Count } from '../../domain/metric.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import { type VisitDeps, type Visits, visitEach } from './runs/visit-each.ts';

export type CheckDeliveriesDeps = VisitDeps & {
  connections: Pick<ConnectionStore, 'get' | 'idsOfType' | 'noteSilence'>;
  now: () => Date;
  count: Count;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/** The report of a run. `silent`: connections that it found silent. Operators see its members under these names. */
export type DeliveryReport = Visits & { silent: number };

/**
 * Finds connections of CRM-A with missing deliveries (docs/leads.md, "Silent connections"): LeadSquared turns a webhook
 * off after 10 failures without notifying the service. Reads each connection once. The next delivery ends a silence.
 */
export async function checkDeliveries(deps: CheckDeliveriesDeps): Promise<DeliveryReport> {
  let silent = 0;
  const visits = await visitEach(
    deps,
    deps.connections.idsOfType('crm-a'),
    async (connectionId) => {
      if (await findSilent(deps, connectionId)) silent += 1;
    },
    (connection_id, reason) => deps.warn('deliveries could not be checked', { connection_id, reason }),
  );
  return { ...visits, silent };
}

async function findSilent(deps: CheckDeliveriesDeps, connectionId: string): Promise<boolean> {
  const connection = await deps.connections.get(connectionId);
  const now = deps.now();
  if (!connection || !isNewlySilent(connection, now)) return false;
  if (!(await deps.connections.noteSilence(connection, now.toISOString()))) return false;
  deps.count('ConnectionSilent');
  const reason = `the last delivery arrived at ${connection.last_delivery_at}`;
  deps.warn('no deliveries arrive', { connection_id: connectionId, reason });
  return true;
}
