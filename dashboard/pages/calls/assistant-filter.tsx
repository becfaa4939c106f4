import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { assistantOptions, type CallFilters } from '../../app/url/call-filters.ts';
import { FilterSelect } from '../../components/list/filter-select.tsx';
import { assistantsQuery } from '../assistants/assistants-query.ts';
import { callPages } from './calls-query.ts';

type Props = { filters: CallFilters; onChoose: (assistantId: string) => void };

/** Offers all assistants, and the deleted ones of the calls shown so far. */
export function AssistantFilter({ filters, onChoose }: Props) {
  const { data } = useInfiniteQuery(callPages(filters));
  const { data: listed, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery(assistantsQuery);
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const seen = useRef(new Map<string, string>());
  for (const { items } of data?.pages ?? [])
    for (const { assistant } of items) seen.current.set(assistant.id, assistant.name);
  const all = listed?.pages.flatMap(({ items }) => items) ?? [];
  const options = assistantOptions(seen.current, all, filters.assistant);
  return <FilterSelect label="Assistant" value={filters.assistant} options={options} onChoose={onChoose} />;
}
