import { infiniteQueryOptions } from '@tanstack/react-query';
import { listAssistants } from '../../../shared/messages/dashboard/assistants.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';

/** The assistants, oldest first. */
export const assistantsQuery = infiniteQueryOptions({
  queryKey: ['assistants'],
  queryFn: ({ pageParam, signal }) => callApi(listAssistants, { query: { limit: '50', next: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
});

export const refreshAssistants = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: assistantsQuery.queryKey });
