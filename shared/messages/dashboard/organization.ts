import * as z from 'zod/mini';
import { roles } from '../../domain/organizations/members/member.ts';
import { noticeRolesSchema } from '../../domain/organizations/members/notice-roles.ts';
import { organizationLimits } from '../../domain/organizations/organization-limits.ts';
import { trimmedText } from '../../domain/text/trimmed-text.ts';
import type { DashboardRoute } from './route.ts';

/** Days; 0 keeps data for good, null applies the stage's setting. */
const days = z.nullable(z.number());

const MAX_NUMBERS = 50;
const MAX_CREDITS = 1_000_000_000;

/** The settings of the organization. Amounts are credits; null means that a limit or threshold is not set. */
export const organization = z.object({
  org_id: z.string(),
  name: z.string(),
  default_region: z.string(),
  platform_numbers: z.array(z.string()),
  /** For a started minute. */
  rate: z.number(),
  /** The countries that may be called, the default region first; null for every country. */
  countries: z.nullable(z.array(z.string())),
  /** For a started minute of a call to countries with a rate of their own. */
  rates: z.record(z.string(), z.number()),
  limits: z.object({
    requests_per_minute: z.number(),
    outbound_per_minute: z.number(),
    max_live_calls: z.nullable(z.number()),
    max_wait_minutes: z.nullable(z.number()),
  }),
  /** Maximum credits that calls may cost per day in India; null for no limit. */
  daily_limit: z.nullable(z.number()),
  /** How long new calls, their files and Activity are kept. */
  retention: z.object({ recordings: days, transcripts: days, calls: days, activity: days }),
  /** The platform's id of the calling number; null for the stage's number. */
  voice_number_id: z.nullable(z.string()),
  warn_below: z.nullable(z.number()),
  /** The roles that get e-mails. */
  notices: noticeRolesSchema,
  /** Sender of the e-mails; null if this deployment sends none. */
  mail_from: z.nullable(z.string()),
  is_suspended: z.boolean(),
  callback_secret: z.object({
    /** The last characters of the secret. */
    hint: z.nullable(z.string()),
    /** Until when the former secret also signs; null if it no longer does. */
    former_until: z.nullable(z.string()),
  }),
  revision: z.number(),
  updated_at: z.nullable(z.string()),
  updated_by: z.nullable(z.string()),
});

export type OrganizationView = z.infer<typeof organization>;

export const showOrganization = {
  method: 'GET',
  path: '/organization',
  role: 'viewer',
  answer: organization,
} as const satisfies DashboardRoute;

const someRoles = z.optional(z.array(z.enum(roles)).check(z.maxLength(roles.length)));

const limit = (most: number) => z.optional(z.int().check(z.minimum(1), z.maximum(most)));

export const updateOrganization = {
  method: 'PATCH',
  path: '/organization',
  role: 'admin',
  request: z.strictObject({
    /** The revision that the person saw. */
    revision: z.int().check(z.nonnegative()),
    name: z.optional(trimmedText(200)),
    /** Two capital letters of a country. */
    default_region: z.optional(z.string().check(z.regex(/^[A-Z]{2}$/))),
    /** In any usual form, as numbers of the default region. They replace the former ones. */
    platform_numbers: z.optional(z.array(z.string().check(z.maxLength(40))).check(z.maxLength(MAX_NUMBERS))),
    /** Limits may be lowered, but not raised. */
    requests_per_minute: limit(organizationLimits.requests_per_minute),
    outbound_per_minute: limit(organizationLimits.outbound_per_minute),
    max_live_calls: limit(organizationLimits.max_live_calls),
    max_wait_minutes: limit(organizationLimits.max_wait_minutes),
    /** Credits, with up to three decimals; null for no warning. */
    warn_below: z.optional(z.nullable(z.number().check(z.nonnegative(), z.maximum(MAX_CREDITS), z.multipleOf(0.001)))),
    /** The roles that get e-mails, for each kind that changes. */
    notices: z.optional(z.strictObject({ low_credit: someRoles, broken_connection: someRoles })),
  }),
  answer: organization,
} as const satisfies DashboardRoute;

export const revealCallbackSecret = {
  method: 'GET',
  path: '/organization/callback-secret',
  role: 'admin',
  answer: z.object({ secret: z.string() }),
} as const satisfies DashboardRoute;

export const rotateCallbackSecret = {
  method: 'POST',
  path: '/organization/callback-secret',
  role: 'admin',
  /** `former_until`: until when the former secret also signs. */
  answer: z.object({ secret: z.string(), former_until: z.nullable(z.string()) }),
} as const satisfies DashboardRoute;
