import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { listDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import type { NumberSearch } from '../../app/url/number-prefix.ts';

/** Reads pages of the list, sorted by number. */
export const doNotCallPages = (search: NumberSearch) =>
  infiniteQueryOptions({
    queryKey: ['do-not-call', search],
    queryFn: ({ pageParam, signal }) =>
      callApi(listDoNotCall, { query: { ...search, limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** Invalidates the list after a change. */
export const refreshDoNotCall = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['do-not-call'] }),
    queryClient.invalidateQueries({ queryKey: ['audit'] }),
  ]);
