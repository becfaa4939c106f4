import { queryOptions } from '@tanstack/react-query';
import { showAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';

export const assistantQuery = (id: string) =>
  queryOptions({
    queryKey: ['assistant', id],
    queryFn: ({ signal }) => callApi(showAssistant, { params: { id }, signal }),
  });

/** Reads the assistant and the list of assistants again. */
export async function refreshAssistant(id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['assistant', id] }),
    queryClient.invalidateQueries({ queryKey: ['assistants'] }),
  ]);
}
