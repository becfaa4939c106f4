import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, retryDelay, shouldRetry } from '../api/api-error.ts';

/** Reads the role again when the API says that it has changed. */
export function refetchRoleIfDenied(error: unknown, query?: { queryKey: readonly unknown[] }): void {
  const isDenied = error instanceof ApiError && ['not_permitted', 'no_membership'].includes(error.code);
  if (isDenied && query?.queryKey[0] !== 'me') queryClient.invalidateQueries({ queryKey: ['me'] });
}

/** The cache of the data read from the API. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: refetchRoleIfDenied }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: shouldRetry,
      retryDelay,
    },
  },
});
