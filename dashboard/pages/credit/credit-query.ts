import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { call } from '../../app/browser-session.ts';
import { type DayRange, rangeQuery } from '../../app/day-range.ts';

/** Pages of the ledger, newest first. The rows of the range before stay until new ones are there. */
export const creditPages = (range: DayRange) =>
  infiniteQueryOptions({
    queryKey: ['credit', range],
    queryFn: ({ pageParam, signal }) =>
      call(listCreditEntries, { query: { ...rangeQuery(range), limit: '50', next: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
