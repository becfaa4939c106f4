import type { Option } from 'commander';
import { type Role, roles } from '../../../../shared/domain/organizations/members/member.ts';
import {
  DEFAULT_RATE_CREDITS,
  DEFAULT_REGION,
  type Organization,
} from '../../../../shared/domain/organizations/organization.ts';
import { organizationLimits } from '../../../../shared/domain/organizations/organization-limits.ts';
import {
  type RetentionKind,
  retentionDaysOf,
  retentionKinds,
  UNLIMITED,
} from '../../../../shared/domain/organizations/retention.ts';
import { country, credits, invalid, list, NONE, oneOf, phoneNumbers, text, wholeNumber } from '../../values.ts';
import { optional } from '../../verb.ts';

export type NoticeFlags = { emailLowCredit?: string; emailBrokenConnection?: string };

export type SettingFlags = {
  name?: string;
  rate?: string;
  platformNumbers?: string;
  region?: string;
  countries?: string;
  rates?: string;
};

export type LimitFlags = {
  requestsPerMinute?: string;
  outboundPerMinute?: string;
  voiceNumberId?: string;
  maxLiveCalls?: string;
  maxWaitMinutes?: string;
  dailyLimit?: string;
  retentionRecordings?: string;
  retentionTranscripts?: string;
  retentionCalls?: string;
  retentionActivity?: string;
};

/** Makes the options that create and update share. @param defaults shows the values of a new organization. */
export const settingOptions = (defaults?: 'defaults'): Option[] => [
  optional('--rate <n>', `credits per started minute${defaults ? ` (default: ${DEFAULT_RATE_CREDITS})` : ''}`),
  optional('--platform-numbers <list>', "the organization's own numbers, in E.164, comma-separated"),
  optional(
    '--region <country>',
    `two-letter country of numbers without a country code${defaults ? ` (default: ${DEFAULT_REGION})` : ''}`,
  ),
  optional('--countries <list>', `countries that may be called besides the region, comma-separated ("${NONE}")`),
  optional('--rates <list>', `credits per started minute by country, such as AE=2.5,US=1 ("${NONE}": --rate)`),
];

const FOREVER = 'forever';
const durationsOf = (kind: RetentionKind): string =>
  kind === 'activity' ? retentionDaysOf(kind).join(', ') : `${retentionDaysOf(kind).join(', ')}, or "${FOREVER}"`;

export const limitOptions: Option[] = [
  optional('--requests-per-minute <n>', `requests per API key and minute ("${NONE}": the default)`),
  optional('--outbound-per-minute <n>', `placed calls per API key and minute ("${NONE}": the default)`),
  optional('--voice-number-id <id>', `the platform's ID of the calling number ("${NONE}": the account's number)`),
  optional('--max-live-calls <n>', `live calls at once ("${NONE}": only the limit of the stage)`),
  optional('--daily-limit <credits>', `most credits that calls may cost on a day in India ("${NONE}": no limit)`),
  optional('--max-wait-minutes <n>', `longest wait of a call for its dial ("${NONE}": the default)`),
  ...retentionKinds.map((kind) =>
    optional(
      `--retention-${kind} <days>`,
      `how long ${kind === 'calls' ? 'new calls' : `${kind} of new calls`} are kept: ${durationsOf(kind)} ` +
        `("${NONE}": the default of the stage)`,
    ),
  ),
];

export const noticeOptions: Option[] = [
  optional('--email-low-credit <roles>', `roles that get e-mails about low credit, comma-separated ("${NONE}")`),
  optional('--email-broken-connection <roles>', `roles that get e-mails about a broken connection ("${NONE}")`),
];

const readRoles = (flag: string, value: string | undefined): Role[] | undefined => {
  if (value === undefined) return undefined;
  return value === NONE ? [] : list(value).map((role) => oneOf(flag, role, roles));
};

/** @returns the roles that the flags name; undefined if they change none. */
export function readNoticeRoles({ emailLowCredit, emailBrokenConnection }: NoticeFlags) {
  const low_credit = readRoles('--email-low-credit', emailLowCredit);
  const broken_connection = readRoles('--email-broken-connection', emailBrokenConnection);
  return low_credit || broken_connection ? { low_credit, broken_connection } : undefined;
}

/** @returns the settings that the flags name. */
export function readSettings({ name, rate, platformNumbers, region, countries, rates }: SettingFlags) {
  return {
    ...(name !== undefined && { name: text('--name', name) }),
    ...(rate !== undefined && { rate: credits('--rate', rate) }),
    ...(platformNumbers !== undefined && { platform_numbers: phoneNumbers('--platform-numbers', platformNumbers) }),
    ...(region !== undefined && { default_region: country('--region', region) }),
    ...(countries !== undefined && { countries: members(countries).map((code) => country('--countries', code)) }),
    ...(rates !== undefined && { rates: Object.fromEntries(members(rates).map(readRate)) }),
  };
}

/** @returns the members of a list; `none` has no member. */
const members = (value: string): string[] => (value === NONE ? [] : list(value));

function readRate(typed: string): [country: string, units: number] {
  const [code = '', rate, ...rest] = typed.split('=');
  if (rate === undefined || rest.length > 0)
    throw invalid(`--rates must be countries with their credits per minute, such as AE=2.5,US=1, not "${typed}".`);
  return [country('--rates', code.trim()), credits('--rates', rate.trim())];
}

const isGiven = (value: string | undefined): value is string => value !== undefined && value !== NONE;

const limit = (flag: string, value: string | undefined, most: number): number | undefined =>
  isGiven(value) ? wholeNumber(flag, value, { least: 1, most }) : undefined;

function readDays(kind: RetentionKind, value: string | undefined): number | undefined {
  if (!isGiven(value)) return undefined;
  if (value === FOREVER && kind !== 'activity') return UNLIMITED;
  if (!/^\d+$/.test(value) || !retentionDaysOf(kind).includes(Number(value)))
    throw invalid(`--retention-${kind} must be ${durationsOf(kind)}, in days, or "${NONE}", not "${value}".`);
  return Number(value);
}

type Limit = keyof Pick<
  Organization,
  | 'requests_per_minute'
  | 'outbound_per_minute'
  | 'voice_number_id'
  | 'max_live_calls'
  | 'max_wait_minutes'
  | 'daily_limit'
  | 'retention_recordings'
  | 'retention_transcripts'
  | 'retention_calls'
  | 'retention_activity'
>;

/** @returns the limits to set, and those that the flags remove with `none`. */
export function readLimits(flags: LimitFlags): { set: Partial<Pick<Organization, Limit>>; remove: Limit[] } {
  const { requestsPerMinute, outboundPerMinute, voiceNumberId, maxLiveCalls, maxWaitMinutes, dailyLimit } = flags;
  const { retentionRecordings, retentionTranscripts, retentionCalls, retentionActivity } = flags;
  const given: Record<Limit, string | undefined> = {
    requests_per_minute: requestsPerMinute,
    outbound_per_minute: outboundPerMinute,
    voice_number_id: voiceNumberId,
    max_live_calls: maxLiveCalls,
    max_wait_minutes: maxWaitMinutes,
    daily_limit: dailyLimit,
    retention_recordings: retentionRecordings,
    retention_transcripts: retentionTranscripts,
    retention_calls: retentionCalls,
    retention_activity: retentionActivity,
  };
  const set = {
    requests_per_minute: limit('--requests-per-minute', requestsPerMinute, organizationLimits.requests_per_minute),
    outbound_per_minute: limit('--outbound-per-minute', outboundPerMinute, organizationLimits.outbound_per_minute),
    voice_number_id: isGiven(voiceNumberId) ? text('--voice-number-id', voiceNumberId) : undefined,
    max_live_calls: limit('--max-live-calls', maxLiveCalls, organizationLimits.max_live_calls),
    max_wait_minutes: limit('--max-wait-minutes', maxWaitMinutes, organizationLimits.max_wait_minutes),
    daily_limit: isGiven(dailyLimit) ? credits('--daily-limit', dailyLimit) : undefined,
    retention_recordings: readDays('recordings', retentionRecordings),
    retention_transcripts: readDays('transcripts', retentionTranscripts),
    retention_calls: readDays('calls', retentionCalls),
    retention_activity: readDays('activity', retentionActivity),
  };
  const remove = (Object.keys(given) as Limit[]).filter((name) => given[name] === NONE);
  return { set, remove };
}
