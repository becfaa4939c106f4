import { secondsAfter, secondsBetween } from '../../time/instants.ts';
import type { AccessToken } from './grant.ts';

/** The lead time of a refresh before the expiry (docs/crm-b.md, "Access tokens"). */
const REFRESH_LEAD_SECONDS = 5 * 60;
/** Half of the vendor's ten access tokens in ten minutes, because other clients may refresh the same grant. */
const MAX_REFRESHES = 5;
const REFRESH_PERIOD_SECONDS = 10 * 60;

type Expiring = Pick<AccessToken, 'expires_at'>;

export const isUsable = ({ expires_at }: Expiring, now: Date): boolean => expires_at > now.toISOString();

/** Returns whether the next token is due, although this one may still be valid. */
export const isRefreshDue = ({ expires_at }: Expiring, now: Date): boolean =>
  secondsBetween(now, expires_at) <= REFRESH_LEAD_SECONDS;

/** Returns the refreshes of the last ten minutes. */
export const recentRefreshes = (refreshes: readonly string[], now: Date): string[] =>
  refreshes.filter((at) => at > secondsAfter(now, -REFRESH_PERIOD_SECONDS));

/** Returns whether another refresh would exceed the limit. */
export const isRefreshedTooOften = (refreshes: readonly string[], now: Date): boolean =>
  recentRefreshes(refreshes, now).length >= MAX_REFRESHES;
