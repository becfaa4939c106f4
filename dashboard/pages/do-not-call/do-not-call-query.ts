import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { listDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { call } from '../../app/browser-session.ts';
import type { NumberSearch } from '../../app/number-prefix.ts';
import { queryClient } from '../../app/query.ts';

/** Pages of the list, sorted by number. */
export const doNotCallPages = (search: NumberSearch) =>
  infiniteQueryOptions({
    queryKey: ['do-not-call', search],
    queryFn: ({ pageParam, signal }) =>
      call(listDoNotCall, { query: { ...search, limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** After a change of the list. */
export const refreshDoNotCall = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['do-not-call'] }),
    queryClient.invalidateQueries({ queryKey: ['audit'] }),
  ]);
