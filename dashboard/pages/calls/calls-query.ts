import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { listCalls } from '../../../shared/messages/dashboard/calls.ts';
import { refetchAfter, refetchIntervals } from '../../app/query/refetch-intervals.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type CallFilters, callsQuery } from '../../app/url/call-filters.ts';

/** A person who has loaded more pages than this is reading older rows, so they are refreshed rarely. */
const MAX_LIVE_PAGES = 3;

/** Counts the live and the scheduled calls. */
export const callCounts = queryOptions({
  queryKey: ['calls', 'counts'],
  queryFn: ({ signal }) => callApi(listCalls, { query: { limit: '1', counts: 'true' }, signal }),
  refetchInterval: ({ state }) => refetchAfter(refetchIntervals.normal, state),
});

/**
 * Reads pages of calls, newest first, but scheduled calls with the next call first. After a change of the filters, the
 * previous rows stay until the new ones are loaded. Rows are read often while a call is live, never in a hidden tab.
 */
export const callPages = (filters: CallFilters) =>
  infiniteQueryOptions({
    queryKey: ['calls', filters],
    queryFn: ({ pageParam, signal }) =>
      callApi(listCalls, { query: { ...callsQuery(filters), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const { data } = state;
      const pages = data?.pages ?? [];
      if (pages.length > MAX_LIVE_PAGES) return refetchAfter(refetchIntervals.slow, state);
      const isLive = pages.some(({ items }) => items.some(({ is_live }) => is_live));
      return refetchAfter(isLive ? refetchIntervals.live : refetchIntervals.normal, state);
    },
  });
