import { queryOptions } from '@tanstack/react-query';
import {
  type ConnectionView,
  listChoices,
  listConnections,
  type ShownConnection,
  showConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { refetchAfter, refetchIntervals } from '../../app/query/refetch-intervals.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { connectionInterval } from './connection-interval.ts';

export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: ({ signal }) => callApi(listConnections, { signal }),
  refetchInterval: ({ state }) => refetchAfter(refetchIntervals.normal, state),
});

/**
 * Reads a connection with its newest events, often while an event is awaited.
 * @param awaited a test event whose outcome is not known yet
 */
export const connectionQuery = (id: string, awaited?: string) =>
  queryOptions({
    queryKey: ['connection', id, awaited ?? null],
    queryFn: ({ signal }) =>
      callApi(showConnection, { params: { id }, ...(awaited && { query: { event_id: awaited } }), signal }),
    placeholderData: (before) => (before?.connection.connection_id === id ? before : undefined),
    refetchInterval: ({ state }) => refetchAfter(connectionInterval(state, awaited), state),
  });

/**
 * Reads the lists from which a person chooses settings.
 * @param grantedAt when the current consent was given; null without a consent
 */
export const choicesQuery = (id: string, grantedAt: string | null, organizationId?: string) =>
  queryOptions({
    // A new consent may change the lists, even if it replaces a revoked consent.
    queryKey: ['choices', id, grantedAt, organizationId ?? null],
    queryFn: ({ signal }) =>
      callApi(listChoices, {
        params: { id },
        ...(organizationId && { query: { organization_id: organizationId } }),
        signal,
      }),
    staleTime: 5 * 60_000,
    placeholderData: (before) => before,
  });

/** Invalidates everything that shows connections, after a change. */
export const refreshConnections = () =>
  Promise.all(
    ['connections', 'connection', 'overview', 'audit'].map((name) =>
      queryClient.invalidateQueries({ queryKey: [name] }),
    ),
  );

/** Puts a saved connection into every cache entry that shows it, and reads the rest again. */
export function storeConnection(saved: ConnectionView): void {
  queryClient.setQueriesData<ShownConnection>({ queryKey: ['connection', saved.connection_id] }, (old) =>
    old === undefined ? old : { ...old, connection: saved },
  );
  void refreshConnections();
}
