import { inBatches } from '../../../domain/in-batches.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

export type VisitDeps = {
  timeLeftMs: () => number;
  /** A number from 0 to 1. */
  random: () => number;
};

/** The progress of a run. `looked_at`: visits, including failed ones. Operators see its members under these names. */
export type Visits = { looked_at: number; failed: number; complete: boolean };

export type VisitRun = {
  /** Concurrent visits. Limits the load on the worker, not on a CRM: each connection has its own limits there. */
  atOnce?: number;
  /** Time that must be left to begin a visit, so that the open visits can end. */
  enoughTimeMs?: number;
  /** Puts the ids of the connections in the order of the visits. */
  order?: (ids: readonly string[]) => Promise<readonly string[]> | readonly string[];
  /** Receives the connections that the run has no time for, in order, as soon as no more visits begin. */
  onUnvisited?: (ids: readonly string[]) => unknown;
};

/**
 * Visits connections, several at once, until the time runs out. The failure of one does not affect the others.
 * @param onFailure reports a visit that failed
 * @param run by default begins at a random connection, so that each is reached eventually
 */
export async function visitEach(
  { timeLeftMs, random }: VisitDeps,
  ids: AsyncIterable<string> | Iterable<string>,
  visit: (connectionId: string) => Promise<void>,
  onFailure: (connectionId: string, reason: string) => void,
  {
    atOnce = 20,
    enoughTimeMs = 20_000,
    order = (all) => rotateToRandomStart(all, random()),
    onUnvisited,
  }: VisitRun = {},
): Promise<Visits> {
  const visits = { looked_at: 0, failed: 0 };
  const all: string[] = [];
  for await (const id of ids) all.push(id);
  const waiting = [...(await order(all))];
  let unvisited: string[] = [];
  let leaving: unknown;
  const next = () => {
    if (timeLeftMs() >= enoughTimeMs) return waiting.shift();
    if (waiting.length > 0) {
      unvisited = waiting.splice(0);
      leaving = onUnvisited?.(unvisited);
    }
    return undefined;
  };
  const work = async () => {
    for (let id = next(); id; id = next()) {
      visits.looked_at += 1;
      try {
        await visit(id);
      } catch (error) {
        visits.failed += 1;
        onFailure(id, (error as Error).message);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await leaving;
  return { ...visits, complete: unvisited.length === 0 };
}

/**
 * Rotates ids to a random start, so that each id is reached eventually, even if no run has time for all ids.
 * @param random at least 0 and less than 1, as from Math.random
 */
function rotateToRandomStart(ids: readonly string[], random: number): string[] {
  const first = Math.floor(random * ids.length);
  return [...ids.slice(first), ...ids.slice(0, first)];
}

const READS_AT_ONCE = 20;

/**
 * Orders connections by their last visit, unvisited ones first. Reads each connection once. A connection that cannot be
 * read also comes first: its own visit fails and reports why.
 */
export async function oldestFirst(
  connections: Pick<ConnectionStore, 'get'>,
  ids: readonly string[],
): Promise<string[]> {
  const visited = await inBatches([...new Set(ids)], READS_AT_ONCE, async (id) => {
    const connection = await connections.get(id).catch(() => undefined);
    return [id, connection?.channel_visited_at ?? ''] as const;
  });
  return visited.sort(([, one], [, other]) => (one < other ? -1 : Number(one > other))).map(([id]) => id);
}
