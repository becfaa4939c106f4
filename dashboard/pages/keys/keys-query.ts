import { infiniteQueryOptions } from '@tanstack/react-query';
import { listKeys } from '../../../shared/messages/dashboard/keys.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';

export const keysQuery = infiniteQueryOptions({
  queryKey: ['keys'],
  queryFn: ({ pageParam, signal }) => callApi(listKeys, { query: { limit: '50', next: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
});

/** Invalidates the keys after a change. */
export const refreshKeys = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['keys'] }),
    queryClient.invalidateQueries({ queryKey: ['audit'] }),
  ]);
