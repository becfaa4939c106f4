import { secondsAfter } from '../../time/instants.ts';
import type { Claim } from './claim.ts';
import { SUNDAY_INTERVAL_SECONDS } from './sunday-interval.ts';

/**
 * Returns the key of the sweep's claim on a lead. Its `at` decides whether the claim has ended, because DynamoDB
 * deletes expired items late.
 */
export const sundayClaimKey = (connectionId: string, leadId: string): string => `sunday#${connectionId}#${leadId}`;

/** Returns the latest `at` of a sweep's claim that has ended. */
export const sundayClaimCutoff = (now: Date): string => secondsAfter(now, -SUNDAY_INTERVAL_SECONDS);

/** Returns whether a sweep's claim has ended. */
export const isSundayClaimEnded = ({ at }: Pick<Claim, 'at'>, now: Date): boolean => at <= sundayClaimCutoff(now);

/** Builds the claim with which an erasure replaces a sweep's claim. It ends when the former one does. */
export const hiddenSundayClaimFor = (key: string, claim: Claim): Claim => ({
  ...claim,
  claim: key,
  expires_at: Math.floor(Date.parse(claim.at) / 1000) + SUNDAY_INTERVAL_SECONDS,
});
