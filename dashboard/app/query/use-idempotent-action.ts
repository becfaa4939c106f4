import { useRef } from 'react';
import { isRejected } from '../api/api-error.ts';

/**
 * Gives each click one idempotency key, which repeats reuse until the outcome is known.
 * @param newKey creates the key
 * @returns a function that runs the action with its key
 */
export function useIdempotentAction(newKey: () => string = () => crypto.randomUUID()) {
  const key = useRef<string>(undefined);
  return async <T>(action: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    key.current ??= newKey();
    try {
      const result = await action(key.current);
      key.current = undefined;
      return result;
    } catch (error) {
      // Only a refusal proves that the action had no effect.
      if (isRejected(error)) key.current = undefined;
      throw error;
    }
  };
}
