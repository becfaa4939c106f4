import { secondsAfter, secondsBetween } from '../time/instants.ts';
import type { AccessToken } from './grant.ts';

/** An access token is refreshed this long before it ends (interface, "CRM-B access token"). */
const REFRESHED_BEFORE_SECONDS = 5 * 60;
/** The vendor gives ten access tokens in ten minutes; a look-out of half leaves room for a grant that others refresh. */
const MOST_REFRESHES = 5;
const REFRESHES_SECONDS = 10 * 60;

type Ends = Pick<AccessToken, 'expires_at'>;

export const isUsable = ({ expires_at }: Ends, now: Date): boolean => expires_at > now.toISOString();

/** Whether it is time for the next token, although this one may still count. */
export const isRefreshDue = ({ expires_at }: Ends, now: Date): boolean =>
  secondsBetween(now, expires_at) <= REFRESHED_BEFORE_SECONDS;

/** @param refreshes instants. @returns those that still count. */
export const recentRefreshes = (refreshes: readonly string[], now: Date): string[] =>
  refreshes.filter((at) => at > secondsAfter(now, -REFRESHES_SECONDS));

/** Whether another refresh would be one too many within ten minutes. */
export const isRefreshedTooOften = (refreshes: readonly string[], now: Date): boolean =>
  recentRefreshes(refreshes, now).length >= MOST_REFRESHES;
