import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { explainLead, listLeadEvents } from '../../../shared/messages/dashboard/leads.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { refetchAfter, refetchIntervals } from '../../app/query/refetch-intervals.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type LeadFilters, leadEventsQuery } from '../../app/url/lead-filters.ts';

/** A person who has loaded more pages than this is reading older rows, so they are refreshed rarely. */
const MAX_LIVE_PAGES = 3;

const LIVE: readonly (string | null | undefined)[] = ['queued', 'dialing', 'ringing', 'in_progress'];

/**
 * Reads pages of lead events, newest first. The previous rows stay until those for the new filters are loaded. They are
 * refreshed often while a call on them is live.
 */
export const leadPages = (filters: LeadFilters) =>
  infiniteQueryOptions({
    queryKey: ['lead-events', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      callApi(listLeadEvents, { query: { ...leadEventsQuery(filters), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const { data } = state;
      const pages = data?.pages ?? [];
      if (pages.length > MAX_LIVE_PAGES) return refetchAfter(refetchIntervals.slow, state);
      const isLive = pages.some(({ items }) => items.some(({ call }) => LIVE.includes(call?.status)));
      return refetchAfter(isLive ? refetchIntervals.live : refetchIntervals.normal, state);
    },
  });

/** Counts by outcome for the filters, independently of the chosen group and outcome. */
export const leadCounts = ({ group: _, outcome: __, ...filters }: LeadFilters) =>
  queryOptions({
    queryKey: ['lead-events', 'counts', filters],
    queryFn: ({ signal }) => callApi(listLeadEvents, { query: { ...leadEventsQuery(filters), count: 'true' }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refetchAfter(refetchIntervals.slow, state),
  });

export const explanationOf = (question: string) =>
  queryOptions({
    queryKey: ['lead-events', 'explanation', question],
    queryFn: ({ signal }) => callApi(explainLead, { query: { q: question }, signal }),
    // CRM-B's answer and the stored data may change at any moment.
    staleTime: 0,
    refetchInterval: ({ state }) => {
      const isLive = state.data?.calls.some(({ status }) => LIVE.includes(status));
      return refetchAfter(isLive ? refetchIntervals.live : false, state);
    },
  });

/** Invalidates leads and overview after leads were decided again: they may no longer need attention. */
export const refreshLeads = () =>
  Promise.all(['lead-events', 'overview'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));

/** Leads that were queued are decided within seconds. */
const SOON_MS = [2_000, 6_000];

/** Refreshes the leads twice within seconds, to show the outcomes of those just queued. */
export function refreshLeadsSoon(): void {
  for (const wait of SOON_MS) setTimeout(refreshLeads, wait);
}
