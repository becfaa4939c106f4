import { isNewlySilent } from '../../domain/connections/deliveries/delivery-rhythm.ts';
import type { Count } from '../../domain/metric.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import { fromRandomOne } from './steps/from-random-one.ts';

export type CheckDeliveriesDeps = {
  connections: Pick<ConnectionStore, 'get' | 'idsOfType' | 'noteSilence'>;
  now: () => Date;
  timeLeftMs: () => number;
  /** A number from 0 to 1. */
  random: () => number;
  count: Count;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/** The report of a run. `silent`: connections that it found silent. Operators see its members under these names. */
export type DeliveryReport = { looked_at: number; silent: number; failed: number; complete: boolean };

const AT_ONCE = 20;
/** Enough for open reads and writes. */
const ENOUGH_TIME_MS = 20_000;

/**
 * Finds connections of CRM-A with missing deliveries (docs/leads.md, "Silent connections"): LeadSquared turns a webhook
 * off after 10 failures without notifying the service. Costs one read each. The next delivery ends a silence.
 */
export async function checkDeliveries(deps: CheckDeliveriesDeps): Promise<DeliveryReport> {
  const report = { looked_at: 0, silent: 0, failed: 0, complete: true };
  const ids: string[] = [];
  for await (const id of deps.connections.idsOfType('crm-a')) ids.push(id);
  // Random, so that each connection is reached eventually, even if runs have no time for all.
  const waiting = fromRandomOne(ids, deps.random());
  const work = async () => {
    for (let id = next(); id; id = next()) await lookAt(id);
  };
  const next = () => (deps.timeLeftMs() < ENOUGH_TIME_MS ? undefined : waiting.shift());
  const lookAt = async (connectionId: string) => {
    try {
      if (await findSilent(deps, connectionId)) report.silent += 1;
      report.looked_at += 1;
    } catch (error) {
      report.failed += 1;
      deps.warn('deliveries could not be checked', { connection_id: connectionId, reason: (error as Error).message });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { ...report, complete: waiting.length === 0 };
}

async function findSilent(deps: CheckDeliveriesDeps, connectionId: string): Promise<boolean> {
  const connection = await deps.connections.get(connectionId);
  const now = deps.now();
  if (!connection || !isNewlySilent(connection, now)) return false;
  if (!(await deps.connections.noteSilence(connection, now.toISOString()))) return false;
  deps.count('ConnectionSilent');
  const reason = `the last one came at ${connection.last_delivery_at}`;
  deps.warn('deliveries stay away', { connection_id: connectionId, reason });
  return true;
}
