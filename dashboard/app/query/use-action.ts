import { useState } from 'react';
import { refetchRoleIfDenied } from './query-client.ts';

/**
 * Runs an action and tracks whether it is in progress and its last failure. A refusal for lack of rights reloads the
 * role.
 * @param onError reports a failure that the page does not show
 * @returns `run` resolves to whether the action succeeded
 */
export function useAction(onError?: (error: unknown) => void) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await action();
      return true;
    } catch (error) {
      refetchRoleIfDenied(error);
      onError?.(error);
      setFailure(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, failure };
}
