import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { showOverview } from '../../shared/messages/dashboard/overview.ts';
import { call } from './browser-session.ts';
import type { OverviewRange } from './home-search.ts';
import { refreshEvery } from './live.ts';

/** The overview. What is live changes while one looks; the former range stays until the new one is there. */
export const overviewQuery = (days: OverviewRange) =>
  queryOptions({
    queryKey: ['overview', days],
    queryFn: ({ signal }) => call(showOverview, { query: { days }, signal }),
    refetchInterval: refreshEvery.calm,
    placeholderData: keepPreviousData,
  });

/** The same, for the bell and other pages: it need not be new. */
export const attentionQuery = queryOptions({ ...overviewQuery('7'), refetchInterval: refreshEvery.minute });
