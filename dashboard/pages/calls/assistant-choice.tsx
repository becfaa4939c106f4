import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { CallFilters } from '../../app/call-filters.ts';
import { Choice } from '../../parts/choice.tsx';
import { callPages } from './calls-query.ts';

type Props = { filters: CallFilters; choose: (assistantId: string) => void };

/** Chooses among the assistants of the calls that were shown so far. */
export function AssistantChoice({ filters, choose }: Props) {
  const { data } = useInfiniteQuery(callPages(filters));
  const seen = useRef(new Map<string, string>());
  const names = seen.current;
  for (const { items } of data?.pages ?? []) for (const { assistant } of items) names.set(assistant.id, assistant.name);
  const chosen = filters.assistant;
  const options = [...names].sort(([, one], [, other]) => one.localeCompare(other));
  if (chosen && !names.has(chosen)) options.push([chosen, chosen]);
  return <Choice label="Assistant" value={chosen} options={options} choose={choose} />;
}
