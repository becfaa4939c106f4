import type { QueryClient, QueryState } from '@tanstack/react-query';
import { ApiError, isTransient, isUnanswered } from '../api/api-error.ts';

/** Data on the page that was read before and cannot be refreshed now. */
export type StaleData = {
  /** When the oldest of it was read, in milliseconds since the epoch. */
  since: number;
  /** Why it cannot be refreshed; null while the browser is offline. */
  error: ApiError | null;
};

export type QuerySnapshot = Pick<
  QueryState,
  'data' | 'dataUpdatedAt' | 'status' | 'error' | 'errorUpdatedAt' | 'fetchMeta'
>;

/**
 * Returns whether the last attempt failed for a transient reason. A list whose next page failed is not stale: it shows
 * the error itself.
 */
export const isFailing = ({ status, error, fetchMeta }: QuerySnapshot): boolean =>
  status === 'error' && isTransient(error) && !fetchMeta?.fetchMore;

/** Returns the milliseconds for which the service still demands to wait after the last failure; 0 or less if none. */
export const remainingWait = ({ error, errorUpdatedAt }: Pick<QuerySnapshot, 'error' | 'errorUpdatedAt'>): number =>
  error instanceof ApiError && error.retryAfter ? errorUpdatedAt + error.retryAfter * 1_000 - Date.now() : 0;

type ListedQueries = readonly { isActive: boolean; state: QuerySnapshot }[];

/** Returns whether any data that a page shows, or would show, cannot be read at present. */
export const hasFailedQuery = (reads: ListedQueries): boolean =>
  reads.some(({ isActive, state }) => isActive && isFailing(state));

/**
 * Finds data on the page that may be stale.
 * @param reads everything that was read, and whether a page shows it
 * @returns undefined if everything shown could be refreshed
 */
export function findStaleData(reads: ListedQueries, isOnline: boolean): StaleData | undefined {
  const old = reads
    .filter(({ isActive, state }) => isActive && state.data !== undefined && (!isOnline || isFailing(state)))
    .map(({ state }) => state);
  if (old.length === 0) return undefined;
  const errors = old.flatMap(({ error }) => (error instanceof ApiError ? error : []));
  return {
    since: Math.min(...old.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    // An error with a request id says more.
    error: isOnline ? (errors.find(({ requestId }) => requestId) ?? errors[0] ?? null) : null,
  };
}

/** Lists everything that was read. */
export const listQueries = (client: QueryClient) =>
  client
    .getQueryCache()
    .getAll()
    .map((query) => ({ isActive: query.isActive(), state: query.state }));

/**
 * Returns the error that the page itself shows. If the page has data to show, the banner explains that it is stale
 * instead.
 */
export const errorToShow = ({ data, error }: { data: unknown; error: unknown }): unknown =>
  data !== undefined && isTransient(error) ? null : error;

/**
 * Refreshes failed reads as soon as the service answers. Many reads are not retried automatically, and a page without
 * data would flicker between failure and skeleton on every try, so one small read probes first. One recovery runs at a
 * time, and joins reads in progress: restarting a slow read every few seconds would prevent its answer. A read waits as
 * long as the service demands.
 * @param probe the key of that read, which is active on every page
 */
export const retryFailedQueries = (client: QueryClient, probe: readonly unknown[]): Promise<void> => {
  running ??= retryOnce(client, probe).finally(() => {
    running = undefined;
  });
  return running;
};

let running: Promise<void> | undefined;
const JOIN_PENDING = { cancelRefetch: false };

async function retryOnce(client: QueryClient, probe: readonly unknown[]): Promise<void> {
  const probeFails = () => {
    const state = client.getQueryState(probe);
    return state !== undefined && isFailing(state);
  };
  const probed = client.getQueryState(probe);
  if (probed && remainingWait(probed) > 0) return;
  const wasDown = probeFails();
  await client.refetchQueries({ queryKey: probe, exact: true }, JOIN_PENDING);
  if (probeFails()) return;
  const isWorthRetry = ({ data, error }: QuerySnapshot) => data !== undefined || wasDown || isUnanswered(error);
  const needsRetry = ({ state }: { state: QuerySnapshot }) =>
    isFailing(state) && isWorthRetry(state) && remainingWait(state) <= 0;
  await client.refetchQueries({ type: 'active', predicate: needsRetry }, JOIN_PENDING);
}
