import { useState } from 'react';
import { noticeLostRights } from './query.ts';

/**
 * Does what a press asks for, and keeps whether it is under way and why it failed last. A refusal for lack of rights
 * reads the role again.
 * @param tell tells a failure where nothing on the page shows it
 * @returns `act` answers whether it was done
 */
export function useAct(tell?: (error: unknown) => void) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const act = async (deed: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await deed();
      return true;
    } catch (error) {
      noticeLostRights(error);
      tell?.(error);
      setFailure(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { act, isBusy, failure };
}
