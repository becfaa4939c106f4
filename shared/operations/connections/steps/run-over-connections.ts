import { ReconnectNeeded } from '../../../domain/connections/access-errors.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

export type ConnectionWithGrant = Connection & { grant: NonNullable<Connection['grant']> };

/** Whether CRM-B may be asked for the connection. */
export const isGranted = (connection: Connection | undefined): connection is ConnectionWithGrant =>
  connection?.type === 'crm-b' && connection.grant !== undefined;

export type ConnectionRunDeps = {
  connections: Pick<ConnectionStore, 'get' | 'idsOfType'>;
  /** Milliseconds that the run may still take; it stops in time. */
  timeLeftMs: () => number;
  /** 0 to 1. */
  random: () => number;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/** How far a run over the connections came. */
export type RunProgress = {
  looked_at: number;
  /** Their grant turned out to be gone. */
  needs_reconnect: number;
  failed: number;
  complete: boolean;
};

/** Each CRM has limits of its own; this is the bound of what one worker does at once. */
const CONCURRENCY = 6;
/** What one connection may take where the CRM answers as slowly as it is waited for. */
const ENOUGH_TIME_MS = 120_000;

/**
 * Works on every CRM-B connection that has its grant, some at a time. One connection's failure stops no other; and each run
 * begins with another one, so that none is always among those that there was no time for.
 */
export async function runOverConnections(
  deps: ConnectionRunDeps,
  work: (connection: ConnectionWithGrant) => Promise<void>,
): Promise<RunProgress> {
  const progress: RunProgress = { looked_at: 0, needs_reconnect: 0, failed: 0, complete: true };
  const running = new Set<Promise<void>>();

  const take = async (connectionId: string) => {
    try {
      const connection = await deps.connections.get(connectionId);
      if (!isGranted(connection) || connection.reconnect_needed) return;
      progress.looked_at += 1;
      await work(connection);
    } catch (error) {
      const reason = (error as Error).message;
      if (error instanceof ReconnectNeeded) {
        progress.needs_reconnect += 1;
        deps.warn('a connection needs a new consent', { connection_id: connectionId, reason });
        return;
      }
      progress.failed += 1;
      deps.warn('a connection could not be worked on', { connection_id: connectionId, reason });
    }
  };

  const ids: string[] = [];
  for await (const id of deps.connections.idsOfType('crm-b')) ids.push(id);
  const first = Math.floor(deps.random() * ids.length);
  for (const connectionId of [...ids.slice(first), ...ids.slice(0, first)]) {
    if (deps.timeLeftMs() < ENOUGH_TIME_MS) {
      progress.complete = false;
      break;
    }
    const task = take(connectionId).finally(() => running.delete(task));
    running.add(task);
    if (running.size >= CONCURRENCY) await Promise.race(running);
  }
  await Promise.all(running);
  return progress;
}
