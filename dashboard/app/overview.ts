import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { showOverview } from '../../shared/messages/dashboard/overview.ts';
import { call } from './browser-session.ts';
import { refreshEvery } from './live.ts';

/** How many days the overview shows, as the address holds them. */
export const overviewRanges = ['7', '30', '90'] as const;
export type OverviewRange = (typeof overviewRanges)[number];

export const readRange = (value: unknown): OverviewRange => overviewRanges.find((range) => range === value) ?? '7';

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
