import { useRef } from 'react';
import { isPassing } from './api-error.ts';

/**
 * A press is one deed: its key is repeated while the answer is unknown, so that it takes place once.
 * @returns a function that does it with its key
 */
export function useDeed() {
  const key = useRef<string>(undefined);
  return async <T>(act: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    key.current ??= crypto.randomUUID();
    try {
      const result = await act(key.current);
      key.current = undefined;
      return result;
    } catch (error) {
      if (!isPassing(error)) key.current = undefined;
      throw error;
    }
  };
}
