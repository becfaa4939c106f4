import type { QueryKey } from '@tanstack/react-query';
import { queryClient } from './query-client.ts';

/** Stores saved data. An older read that is under way would replace it, so it is canceled. */
export async function replaceQueryData(queryKey: QueryKey, saved: unknown): Promise<void> {
  await queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData(queryKey, saved);
}
