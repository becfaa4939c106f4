import { useState } from 'react';
import { noticeLostRights } from './query.ts';

/**
 * Runs an action and tracks whether it is in progress and its last failure. A refusal for lack of rights reloads the
 * role.
 * @param tell reports a failure that the page does not show
 * @returns `act` resolves to whether the action succeeded
 */
export function useAct(tell?: (error: unknown) => void) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const act = async (action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await action();
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
