import { ratesInCredits } from './countries.ts';
import { toCredits } from './credit.ts';
import { noticeRolesOf } from './members/notice-roles.ts';
import type { Organization } from './organization.ts';
import { organizationLimits } from './organization-limits.ts';
import { defaultRateLimits } from './rate-limit.ts';

/** The settings of an organization. Credit has its own ledger. */
export type OrganizationSettings = Pick<
  Organization,
  | 'name'
  | 'rate'
  | 'default_region'
  | 'countries'
  | 'rates'
  | 'platform_numbers'
  | 'requests_per_minute'
  | 'outbound_per_minute'
  | 'voice_number_id'
  | 'max_live_calls'
  | 'max_wait_minutes'
  | 'suspended_at'
  | 'daily_limit'
  | 'warn_below'
  | 'retention_recordings'
  | 'retention_transcripts'
  | 'retention_calls'
  | 'retention_activity'
  | 'notices'
>;

/** Returns the revision of the settings; 0 for an organization from before revisions. */
export const organizationRevision = ({ revision = 0 }: Pick<Organization, 'revision'>): number => revision;

/** Returns the settings as the audit log shows them, with amounts in credits. */
export const auditedSettings = ({ rate, rates, warn_below, daily_limit, ...org }: Partial<OrganizationSettings>) => ({
  name: org.name,
  rate: rate === undefined ? undefined : toCredits(rate),
  default_region: org.default_region,
  countries: org.countries,
  rates: rates && ratesInCredits(rates),
  platform_numbers: org.platform_numbers,
  requests_per_minute: org.requests_per_minute,
  outbound_per_minute: org.outbound_per_minute,
  voice_number_id: org.voice_number_id,
  max_live_calls: org.max_live_calls,
  max_wait_minutes: org.max_wait_minutes,
  suspended_at: org.suspended_at,
  warn_below: warn_below === undefined ? undefined : toCredits(warn_below),
  daily_limit: daily_limit === undefined ? undefined : toCredits(daily_limit),
  retention_recordings: org.retention_recordings,
  retention_transcripts: org.retention_transcripts,
  retention_calls: org.retention_calls,
  retention_activity: org.retention_activity,
  email_low_credit: noticeRolesOf(org).low_credit,
  email_broken_connection: noticeRolesOf(org).broken_connection,
});

export type LimitName = keyof typeof organizationLimits;

/** Returns the limits in force; infinite if an organization has no limit. */
export const limitsOf = (org: Pick<Organization, LimitName>): Record<LimitName, number> => ({
  requests_per_minute: org.requests_per_minute ?? defaultRateLimits.requests_per_minute,
  outbound_per_minute: org.outbound_per_minute ?? defaultRateLimits.outbound_per_minute,
  max_live_calls: org.max_live_calls ?? Number.POSITIVE_INFINITY,
  max_wait_minutes: org.max_wait_minutes ?? Number.POSITIVE_INFINITY,
});

/**
 * Returns the names of the limits that a change would raise. Members of an organization may lower its limits, and only
 * operators may raise them.
 */
export function raisedLimits(org: Organization, change: Partial<Pick<Organization, LimitName>>): LimitName[] {
  const current = limitsOf(org);
  return (Object.keys(organizationLimits) as LimitName[]).filter((name) => (change[name] ?? 0) > current[name]);
}
