import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { explainLead, listLeadEvents } from '../../../shared/messages/dashboard/leads.ts';
import { call } from '../../app/browser-session.ts';
import { type LeadFilters, leadEventsQuery } from '../../app/lead-filters.ts';
import { refreshEvery } from '../../app/live.ts';
import { queryClient } from '../../app/query.ts';

/** Whoever has loaded more pages reads back; these are read again, all of them, but rarely. */
const FEW_PAGES = 3;

const LIVE: readonly (string | null | undefined)[] = ['queued', 'dialing', 'ringing', 'in_progress'];

/**
 * Pages of the lead events, newest first. The rows of the filters before stay until new ones are there. They are read
 * again soon while a call on them lives.
 */
export const leadPages = (filters: LeadFilters) =>
  infiniteQueryOptions({
    queryKey: ['lead-events', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      call(listLeadEvents, { query: { ...leadEventsQuery(filters), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      if (pages.length > FEW_PAGES) return refreshEvery.minute;
      const isLive = pages.some(({ items }) => items.some(({ call }) => LIVE.includes(call?.status)));
      return isLive ? refreshEvery.live : refreshEvery.calm;
    },
  });

/** Counts by outcome of what the filters match, whatever group and outcome are chosen. */
export const leadCounts = ({ group: _, outcome: __, ...filters }: LeadFilters) =>
  queryOptions({
    queryKey: ['lead-events', 'counts', filters],
    queryFn: ({ signal }) => call(listLeadEvents, { query: { ...leadEventsQuery(filters), count: 'true' }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery.minute,
  });

export const explanationOf = (question: string) =>
  queryOptions({
    queryKey: ['lead-events', 'explanation', question],
    queryFn: ({ signal }) => call(explainLead, { query: { q: question }, signal }),
    // What CRM-B says and what is stored may change any second.
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data?.calls.some(({ status }) => LIVE.includes(status)) ? refreshEvery.live : false,
  });

/** What is read anew where leads were decided again: they may no longer need somebody. */
export const refreshLeads = () =>
  Promise.all(['lead-events', 'overview'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));

/** Leads that were queued are decided within seconds. */
const SOON_MS = [2_000, 6_000];

/** Shows what becomes of leads that were just queued. */
export function refreshLeadsSoon(): void {
  for (const wait of SOON_MS) setTimeout(refreshLeads, wait);
}
