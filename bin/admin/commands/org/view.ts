import { allowedCountries, ratesInCredits } from '../../../../shared/domain/organizations/countries.ts';
import { toCredits } from '../../../../shared/domain/organizations/credit.ts';
import { noticeRolesOf } from '../../../../shared/domain/organizations/members/notice-roles.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import { defaultRateLimits } from '../../../../shared/domain/organizations/rate-limit.ts';
import {
  ACTIVITY_DAYS,
  type Retention,
  retentionKinds,
  UNLIMITED,
} from '../../../../shared/domain/organizations/retention.ts';
import { facts, paragraphs } from '../../output.ts';
import type { Answer } from '../../verb.ts';

/** Returns null for the stage's default, which only the deployment knows. */
const shownRetention = (days: number | undefined): number | 'forever' | null =>
  days === UNLIMITED ? 'forever' : (days ?? null);

const viewOrg = (org: Organization, spentToday: number | undefined) => ({
  org_id: org.org_id,
  name: org.name,
  balance: toCredits(org.available + org.held),
  held: toCredits(org.held),
  available: toCredits(org.available),
  rate: toCredits(org.rate),
  platform_numbers: org.platform_numbers,
  default_region: org.default_region,
  countries: allowedCountries(org) ?? null,
  rates: ratesInCredits(org.rates ?? {}),
  rate_limits: {
    requests_per_minute: org.requests_per_minute ?? defaultRateLimits.requests_per_minute,
    outbound_per_minute: org.outbound_per_minute ?? defaultRateLimits.outbound_per_minute,
  },
  voice_number_id: org.voice_number_id ?? null,
  callback_secret_hint: org.callback_secrets[0]?.hint ?? null,
  suspended: org.suspended_at !== undefined,
  max_live_calls: org.max_live_calls ?? null,
  max_wait_minutes: org.max_wait_minutes ?? null,
  daily_limit: org.daily_limit === undefined ? null : toCredits(org.daily_limit),
  ...(spentToday !== undefined && { spent_today: toCredits(spentToday) }),
  retention: {
    recordings: shownRetention(org.retention_recordings),
    transcripts: shownRetention(org.retention_transcripts),
    calls: shownRetention(org.retention_calls),
    activity: shownRetention(org.retention_activity),
  },
  email_notices: noticeRolesOf(org),
});

const daysInWords = (days: ReturnType<typeof shownRetention>): string =>
  days === null ? 'as the stage' : days === 'forever' ? days : `${days} days`;

/** Shows the retention, with the stage's defaults. */
export const showKept = (keep: Retention) =>
  Object.fromEntries(
    retentionKinds.map((kind) => [kind, keep[kind] ?? (kind === 'activity' ? ACTIVITY_DAYS : 'forever')]),
  );

/**
 * Shows an organization, below a sentence if one is given.
 * @param spentToday units that today's calls cost or may cost
 */
export function showOrg(org: Organization, sentence?: string, spentToday?: number): Answer {
  const json = viewOrg(org, spentToday);
  const { requests_per_minute, outbound_per_minute } = json.rate_limits;
  const { low_credit, broken_connection } = json.email_notices;
  const rolesOf = (roles: readonly string[]) => roles.join(', ') || 'none';
  const shown = facts({
    ...json,
    rate: `${json.rate} per started minute`,
    countries: json.countries?.join(', ') ?? 'every country: see org adopt-countries',
    rates:
      Object.entries(json.rates)
        .map(([country, rate]) => `${country} ${rate}`)
        .join(', ') || 'none',
    retention: retentionKinds.map((kind) => `${kind}: ${daysInWords(json.retention[kind])}`).join('; '),
    rate_limits: `${requests_per_minute} requests, ${outbound_per_minute} calls per minute`,
    email_notices: `low credit: ${rolesOf(low_credit)}; broken connection: ${rolesOf(broken_connection)}`,
    callback_secret_hint: json.callback_secret_hint === null ? 'none' : `…${json.callback_secret_hint}`,
  });
  return { json, people: paragraphs(sentence, shown) };
}
