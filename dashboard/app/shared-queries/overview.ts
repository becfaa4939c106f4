import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { showOverview } from '../../../shared/messages/dashboard/overview.ts';
import { refetchAfter, refetchIntervals } from '../query/refetch-intervals.ts';
import { callApi } from '../session/browser-session.ts';
import type { OverviewRange } from '../url/home-search.ts';

/** Reads the overview. Live figures refresh themselves; the previous range is shown until the new one is loaded. */
export const overviewQuery = (days: OverviewRange) =>
  queryOptions({
    queryKey: ['overview', days],
    queryFn: ({ signal }) => callApi(showOverview, { query: { days }, signal }),
    refetchInterval: ({ state }) => refetchAfter(refetchIntervals.normal, state),
    placeholderData: keepPreviousData,
  });

/** The overview for the bell and other pages, where it may be a minute old. */
export const attentionQuery = queryOptions({
  ...overviewQuery('7'),
  refetchInterval: ({ state }) => refetchAfter(refetchIntervals.slow, state),
});
