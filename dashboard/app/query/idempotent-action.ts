import { useRef } from 'react';
import { isTransient } from '../api/api-error.ts';

/**
 * Each click has one idempotency key, reused until the outcome is known.
 * @returns a function that runs the action with its key
 */
export function useIdempotentAction() {
  const key = useRef<string>(undefined);
  return async <T>(act: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    key.current ??= crypto.randomUUID();
    try {
      const result = await act(key.current);
      key.current = undefined;
      return result;
    } catch (error) {
      if (!isTransient(error)) key.current = undefined;
      throw error;
    }
  };
}
