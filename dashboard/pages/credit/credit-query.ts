import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { type DayRange, rangeQuery } from '../../app/url/day-range.ts';

/** Reads pages of the ledger, newest first. The previous rows stay until those for the new range are loaded. */
export const creditPages = (range: DayRange) =>
  infiniteQueryOptions({
    queryKey: ['credit', range],
    queryFn: ({ pageParam, signal }) =>
      callApi(listCreditEntries, { query: { ...rangeQuery(range), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
