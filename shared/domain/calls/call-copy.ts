import type { Call } from './call.ts';
import { isTerminal } from './call-status.ts';

/**
 * Returns whether a change only stores a copy of an ended call, as `stage reconcile` does. The changes of this call
 * were already published and measured from the table that it was copied from. Every other call is stored before its
 * end.
 */
export const isCopy = (before: Call | undefined, after: Call): boolean => !before && isTerminal(after.status);
