import { infiniteQueryOptions } from '@tanstack/react-query';
import { listMembers } from '../../../shared/messages/dashboard/people.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';

export const membersQuery = infiniteQueryOptions({
  queryKey: ['members'],
  queryFn: ({ pageParam, signal }) => callApi(listMembers, { query: { limit: '100', next: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
});

/** Invalidates the members after a change. The person's own role may have changed, too. */
export const refreshMembers = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['members'] }),
    queryClient.invalidateQueries({ queryKey: ['me'] }),
    queryClient.invalidateQueries({ queryKey: ['audit'] }),
  ]);
