import type { QueryClient, QueryState } from '@tanstack/react-query';
import { ApiError, isPassing } from './api-error.ts';

/** Something on the page that was read before and cannot be read again now. */
export type Stale = {
  /** When the oldest of it was read, in milliseconds since the epoch. */
  since: number;
  /** Why it cannot be read; null while the browser is offline. */
  error: ApiError | null;
};

type Read = Pick<QueryState, 'data' | 'dataUpdatedAt' | 'status' | 'error' | 'fetchMeta'>;

/** Whether the last try failed for a reason that may pass. A list whose next page failed is not old: it says so itself. */
const isFailing = ({ status, error, fetchMeta }: Read): boolean =>
  status === 'error' && isPassing(error) && !fetchMeta?.fetchMore;

type Reads = readonly { isActive: boolean; state: Read }[];

/** Whether something that a page shows, or would show, cannot be read for now. */
export const hasFailed = (reads: Reads): boolean => reads.some(({ isActive, state }) => isActive && isFailing(state));

/**
 * Finds what is shown although it may be old.
 * @param reads everything that was read, and whether a page shows it
 * @returns undefined where all that is shown could be read again
 */
export function staleOf(reads: Reads, isOnline: boolean): Stale | undefined {
  const old = reads
    .filter(({ isActive, state }) => isActive && state.data !== undefined && (!isOnline || isFailing(state)))
    .map(({ state }) => state);
  if (old.length === 0) return undefined;
  const errors = old.flatMap(({ error }) => (error instanceof ApiError ? error : []));
  return {
    since: Math.min(...old.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    // One with a request id says more.
    error: isOnline ? (errors.find(({ requestId }) => requestId) ?? errors[0] ?? null) : null,
  };
}

/** Lists everything that was read. */
export const readsOf = (client: QueryClient) =>
  client
    .getQueryCache()
    .getAll()
    .map((query) => ({ isActive: query.isActive(), state: query.state }));

/**
 * Returns the error that a page shows itself. Where the page has something to show, the banner above all pages says
 * that it is old, and why.
 */
export const ownError = ({ data, error }: { data: unknown; error: unknown }): unknown =>
  data !== undefined && isPassing(error) ? null : error;

/**
 * Reads again what failed, as soon as the service answers. Many reads are not repeated by themselves, and a page
 * without data would change between its failure and its skeleton with every try: so one small read goes ahead.
 * @param probe the key of that read, which is active on every page
 */
export async function recover(client: QueryClient, probe: readonly unknown[]): Promise<void> {
  const probeFails = () => {
    const state = client.getQueryState(probe);
    return state !== undefined && isFailing(state);
  };
  const wasDown = probeFails();
  await client.refetchQueries({ queryKey: probe, exact: true });
  if (probeFails()) return;
  const isWorth = ({ data, error }: Read) =>
    data !== undefined || wasDown || (error instanceof ApiError && error.code === 'network');
  await client.refetchQueries({ type: 'active', predicate: ({ state }) => isFailing(state) && isWorth(state) });
}
