import { toCredits } from '../organizations/credit.ts';
import type { Call } from './call.ts';

/** Whose daily spend limit is meant. */
export type SpendScope = 'org' | 'stage';

/** A daily spend limit that a call would exceed. Units. */
export type SpendStop = { of: SpendScope; limit: number };

/** How long a call that meets a limit waits for its next try: a live call may cost less than it holds. */
export const SPEND_WAIT_SECONDS = 300;

/** Whether the most that the call may cost is counted in the spend of that day already, by an earlier attempt. */
export const isSpendCounted = ({ spend }: Pick<Call, 'spend'>, day: string): boolean => spend?.day === day;

/** Explains in Activity why a lead's call waits. */
export const spendStopInWords = ({ of, limit }: SpendStop): string =>
  of === 'org'
    ? `The organization's daily spend limit of ${toCredits(limit)} credits is reached; the call waits. ` +
      'The operator can raise the limit; a new day begins at midnight in India.'
    : "The service's daily spend limit is reached; the call waits. The operator can raise the limit.";
