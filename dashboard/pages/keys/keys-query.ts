import { infiniteQueryOptions } from '@tanstack/react-query';
import { listKeys } from '../../../shared/messages/dashboard/keys.ts';
import { call } from '../../app/browser-session.ts';
import { queryClient } from '../../app/query.ts';

export const keysQuery = infiniteQueryOptions({
  queryKey: ['keys'],
  queryFn: ({ pageParam, signal }) => call(listKeys, { query: { limit: '50', next: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
});

/** After a change of keys. */
export const refreshKeys = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['keys'] }),
    queryClient.invalidateQueries({ queryKey: ['audit'] }),
  ]);
