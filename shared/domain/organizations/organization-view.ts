import { allowedCountries, ratesInCredits } from './countries.ts';
import { toCredits } from './credit.ts';
import { noticeRolesOf } from './members/notice-roles.ts';
import type { Organization } from './organization.ts';
import { limitsOf, organizationRevision } from './organization-change.ts';

const orNull = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);

/**
 * Returns the settings of an organization as the dashboard's API shows them: amounts in credits, no secret.
 * @param mailFrom sender of the stage's e-mails; undefined if it sends none
 */
export function viewOrganization(org: Organization, now: Date, mailFrom: string | undefined) {
  const limits = limitsOf(org);
  const [current, former] = org.callback_secrets;
  return {
    org_id: org.org_id,
    name: org.name,
    default_region: org.default_region,
    platform_numbers: org.platform_numbers,
    rate: toCredits(org.rate),
    countries: allowedCountries(org) ?? null,
    rates: ratesInCredits(org.rates ?? {}),
    limits: {
      ...limits,
      max_live_calls: orNull(limits.max_live_calls),
      max_wait_minutes: orNull(limits.max_wait_minutes),
    },
    daily_limit: org.daily_limit === undefined ? null : toCredits(org.daily_limit),
    retention: {
      recordings: org.retention_recordings ?? null,
      transcripts: org.retention_transcripts ?? null,
      calls: org.retention_calls ?? null,
      activity: org.retention_activity ?? null,
    },
    voice_number_id: org.voice_number_id ?? null,
    warn_below: org.warn_below === undefined ? null : toCredits(org.warn_below),
    notices: noticeRolesOf(org),
    mail_from: mailFrom ?? null,
    is_suspended: org.suspended_at !== undefined,
    callback_secret: {
      hint: current?.hint ?? null,
      former_until: former?.until !== undefined && former.until > now.toISOString() ? former.until : null,
    },
    revision: organizationRevision(org),
    updated_at: org.updated_at ?? null,
    updated_by: org.updated_by ?? null,
  };
}
