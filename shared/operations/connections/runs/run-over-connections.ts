import type { ReconnectNeeded } from '../../../domain/connections/access/token-result.ts';
import { type ConnectedCrmB, isConnectedCrmB } from '../../../domain/connections/connection.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import { type VisitDeps, type VisitRun, type Visits, visitEach } from './visit-each.ts';

export type ConnectionRunDeps = VisitDeps & {
  connections: Pick<ConnectionStore, 'get' | 'idsOfType'>;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/**
 * The progress of a run. `looked_at`: connections that are connected, even if the work on them failed.
 * `needs_reconnect`: connections whose grant turned out to be gone. Operators see its members under these names
 * (docs/crm-b.md, "Runs by hand").
 */
export type RunProgress = Visits & { needs_reconnect: number };

const CONCURRENCY = 6;
/** Enough for one connection even if CRM-B exhausts every time-out. */
const ENOUGH_TIME_MS = 120_000;

export type ConnectionRun = Pick<VisitRun, 'atOnce' | 'order' | 'onUnvisited'> & {
  /** Called for each connected connection that must wait for a later run, while the open visits end. */
  leave?: (connection: ConnectedCrmB) => Promise<void>;
};

/**
 * Works on every connected CRM-B connection, several at a time, until the time runs out. See `visitEach`.
 * @param work returns why the connection needs a new consent, if it does
 */
export async function runOverConnections(
  deps: ConnectionRunDeps,
  work: (connection: ConnectedCrmB) => Promise<ReconnectNeeded | undefined>,
  { leave, onUnvisited, ...run }: ConnectionRun = {},
): Promise<RunProgress> {
  const did = { looked_at: 0, needs_reconnect: 0 };
  const connected = async (connectionId: string) => {
    const connection = await deps.connections.get(connectionId);
    return isConnectedCrmB(connection) && !connection.reconnect_needed ? connection : undefined;
  };
  const onFailure = (connection_id: string, reason: string) =>
    deps.warn('work on a connection failed', { connection_id, reason });
  let notLeft = 0;
  const leaveAll = async (ids: readonly string[], act: NonNullable<typeof leave>) => {
    const visit = async (connectionId: string) => {
      const connection = await connected(connectionId);
      if (connection) await act(connection);
    };
    notLeft = (await visitEach(deps, ids, visit, onFailure)).failed;
  };
  const visits = await visitEach(
    deps,
    deps.connections.idsOfType('crm-b'),
    async (connectionId) => {
      const connection = await connected(connectionId);
      if (!connection) return;
      did.looked_at += 1;
      const needed = await work(connection);
      if (!needed) return;
      did.needs_reconnect += 1;
      deps.warn('a connection needs a new consent', { connection_id: connectionId, reason: needed.reason });
    },
    onFailure,
    {
      atOnce: CONCURRENCY,
      enoughTimeMs: ENOUGH_TIME_MS,
      ...run,
      onUnvisited: async (ids) => {
        onUnvisited?.(ids);
        if (leave) await leaveAll(ids, leave);
      },
    },
  );
  return { ...visits, ...did, failed: visits.failed + notLeft };
}
