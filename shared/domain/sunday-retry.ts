import { secondsAfter } from './dial-timing.ts';

/** A lead is called once within this long by the sweep, however often that runs (interface, "Webhook processing rules", 9). */
const APART_SECONDS = 20 * 60 * 60;

/** What the sweep owns of a lead. Unlike a day's claim, it counts by its own time: the table forgets late. */
export const sundayClaimKey = (connectionId: string, leadId: string): string => `sunday#${connectionId}#${leadId}`;

/** @returns ISO 8601: a claim of before that is over. */
export const sundayClaimEnd = (now: Date): string => secondsAfter(now, -APART_SECONDS);
