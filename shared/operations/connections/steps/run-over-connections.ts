import type { ReconnectNeeded } from '../../../domain/connections/access/token-result.ts';
import { type ConnectedCrmB, isConnectedCrmB } from '../../../domain/connections/connection.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import { fromRandomOne } from './from-random-one.ts';

export type ConnectionRunDeps = {
  connections: Pick<ConnectionStore, 'get' | 'idsOfType'>;
  timeLeftMs: () => number;
  /** A number from 0 to 1. */
  random: () => number;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/** The progress of a run. Operators see its members under these names (docs/crm-b.md, "By hand"). */
export type RunProgress = {
  looked_at: number;
  /** Connections whose grant turned out to be gone. */
  needs_reconnect: number;
  failed: number;
  complete: boolean;
};

export type ConnectionRun = {
  /** Connections to work on at once: the load on one worker, not on CRM-B, because each CRM has limits of its own. */
  atOnce: number;
  /** Puts the ids of the connections in the order of the work. */
  order: (ids: readonly string[]) => Promise<readonly string[]> | readonly string[];
  /** Receives the connections, in order, that the run had no time for. */
  leaves?: (ids: readonly string[]) => void;
};

const CONCURRENCY = 6;
/** Enough for one connection even if CRM-B exhausts every time-out. */
const ENOUGH_TIME_MS = 120_000;

/**
 * Works on every connected CRM-B connection, several at a time, until the time runs out. The failure of one connection
 * does not affect the others.
 * @param work returns why the connection needs a new consent, if it finds that
 * @param run by default begins at a random connection, so that each is reached eventually
 */
export async function runOverConnections(
  deps: ConnectionRunDeps,
  work: (connection: ConnectedCrmB) => Promise<ReconnectNeeded | undefined>,
  { atOnce, order, leaves }: ConnectionRun = { atOnce: CONCURRENCY, order: (ids) => fromRandomOne(ids, deps.random()) },
): Promise<RunProgress> {
  const progress: RunProgress = { looked_at: 0, needs_reconnect: 0, failed: 0, complete: true };
  const running = new Set<Promise<void>>();

  const workOn = async (connectionId: string) => {
    try {
      const connection = await deps.connections.get(connectionId);
      if (!isConnectedCrmB(connection) || connection.reconnect_needed) return;
      progress.looked_at += 1;
      const needed = await work(connection);
      if (!needed) return;
      progress.needs_reconnect += 1;
      deps.warn('a connection needs a new consent', { connection_id: connectionId, reason: needed.reason });
    } catch (error) {
      progress.failed += 1;
      deps.warn('work on a connection failed', { connection_id: connectionId, reason: (error as Error).message });
    }
  };

  const ids: string[] = [];
  for await (const id of deps.connections.idsOfType('crm-b')) ids.push(id);
  const ordered = await order(ids);
  for (const [index, connectionId] of ordered.entries()) {
    if (deps.timeLeftMs() < ENOUGH_TIME_MS) {
      progress.complete = false;
      leaves?.(ordered.slice(index));
      break;
    }
    const task = workOn(connectionId).finally(() => running.delete(task));
    running.add(task);
    if (running.size >= atOnce) await Promise.race(running);
  }
  await Promise.all(running);
  return progress;
}
