import { toCredits } from '../../organizations/credit.ts';
import type { Call } from '../call.ts';

/** The owner of a daily spend limit. */
export type SpendScope = 'org' | 'stage';

/** A daily spend limit that a call would exceed. Units. */
export type SpendStop = { of: SpendScope; limit: number };

/** The wait before the next try of a call that met a limit: a live call may cost less than its hold. */
export const SPEND_WAIT_SECONDS = 300;

/** Returns whether an earlier attempt already counted the call's maximum cost in that day's spend. */
export const isSpendCounted = ({ spend }: Pick<Call, 'spend'>, day: string): boolean => spend?.day === day;

/** Explains in Activity why a lead's call waits. */
export const spendStopReason = ({ of, limit }: SpendStop): string =>
  of === 'org'
    ? `The organization's daily spend limit of ${toCredits(limit)} credits is reached; the call waits. ` +
      'The operator can raise the limit; a new day begins at midnight in India.'
    : "The service's daily spend limit is reached; the call waits. The operator can raise the limit.";
