import { QueryClient } from '@tanstack/react-query';
import { type ApiError, isPassing } from './api-error.ts';

const MOST_RETRIES = 2;

/** What was read from the API. A failure that asks for patience is shown at once, with its countdown. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < MOST_RETRIES && isPassing(error) && (error as ApiError).retryAfter === undefined,
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});
