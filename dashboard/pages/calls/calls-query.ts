import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { listCalls } from '../../../shared/messages/dashboard/calls.ts';
import { call } from '../../app/browser-session.ts';
import { type CallFilters, callsQuery } from '../../app/call-filters.ts';
import { refreshEvery } from '../../app/live.ts';

/** Whoever has loaded more pages reads back; these are read again, all of them, but rarely. */
const FEW_PAGES = 3;

/** How many calls are live and scheduled. */
export const callCounts = queryOptions({
  queryKey: ['calls', 'counts'],
  queryFn: ({ signal }) => call(listCalls, { query: { limit: '1', counts: 'true' }, signal }),
  refetchInterval: refreshEvery.calm,
});

/**
 * Pages of the calls, newest first. The rows of the filters before stay until new ones are there. Rows change by
 * themselves: soon while a call lives, and never in a hidden tab.
 */
export const callPages = (filters: CallFilters) =>
  infiniteQueryOptions({
    queryKey: ['calls', filters],
    queryFn: ({ pageParam, signal }) =>
      call(listCalls, { query: { ...callsQuery(filters), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      if (pages.length > FEW_PAGES) return refreshEvery.minute;
      return pages.some(({ items }) => items.some(({ is_live }) => is_live)) ? refreshEvery.live : refreshEvery.calm;
    },
  });
