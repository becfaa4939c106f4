import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isTransient } from '../api/api-error.ts';

const MOST_RETRIES = 2;

/** Reads the role again when the API says that it has changed. */
export function noticeLostRights(error: unknown, query?: { queryKey: readonly unknown[] }): void {
  const hasChanged = error instanceof ApiError && ['not_permitted', 'no_membership'].includes(error.code);
  if (hasChanged && query?.queryKey[0] !== 'me') queryClient.invalidateQueries({ queryKey: ['me'] });
}

/** A demanded wait is shown at once, with its countdown. After a time-out, a retry would double a long wait. */
const isWorthRetrying = ({ code, retryAfter }: ApiError): boolean => retryAfter === undefined && code !== 'timed_out';

/** Data read from the API. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeLostRights }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < MOST_RETRIES && isTransient(error) && isWorthRetrying(error as ApiError),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});
