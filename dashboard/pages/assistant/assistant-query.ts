import { queryOptions } from '@tanstack/react-query';
import { showAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { call } from '../../app/browser-session.ts';
import { queryClient } from '../../app/query.ts';

export const assistantQuery = (id: string) =>
  queryOptions({
    queryKey: ['assistant', id],
    queryFn: ({ signal }) => call(showAssistant, { params: { id }, signal }),
  });

/** Reads the assistant again, and the list that shows it. */
export async function refreshAssistant(id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['assistant', id] }),
    queryClient.invalidateQueries({ queryKey: ['assistants'] }),
  ]);
}
