import * as z from 'zod/mini';
import { admissionAttributes } from './admitted-organization.ts';
import { storedNoticeRolesSchema } from './members/notice-roles.ts';

const units = z.number(); // credit in 1/1000

/**
 * An organization as it is stored. Its balance is `available + held`, computed on read: `available` is stored, because
 * a condition of DynamoDB cannot calculate.
 */
export const organizationSchema = z.object({
  ...admissionAttributes,
  name: z.string(),
  created_at: z.string(),
  available: units,
  held: units,
  /** The part of `held` whose ledger entries the ends of the calls will add; absent for 0. */
  holds_unentered: z.optional(units),
  /** Units per started minute. */
  rate: units,
  default_region: z.string(),
  /** The countries that may be called besides the default region's; absent allows all, as before this list existed. */
  countries: z.optional(z.array(z.string())),
  /** Units per started minute to countries that have a rate of their own. */
  rates: z.optional(z.record(z.string(), units)),
  platform_numbers: z.array(z.string()),
  /** The platform's id of the calling number; absent for the default of the stage. */
  voice_number_id: z.optional(z.string()),
  /** Limit of concurrent live calls; absent if only the stage's limit applies. */
  max_live_calls: z.optional(z.number()),
  max_wait_minutes: z.optional(z.number()),
  /** The number of members with the role owner; absent before the first one. */
  owners: z.optional(z.number()),
  /** The credit below which people are warned; absent for no warning. */
  warn_below: z.optional(units),
  /** The roles that get e-mails; absent for the default. */
  notices: z.optional(storedNoticeRolesSchema),
  /** Maximum units that its calls may cost per IST day; absent for no limit. */
  daily_limit: z.optional(units),
  /** Days from the end of a call, for Activity from the event; 0 for no limit, absent for the stage's default. */
  retention_recordings: z.optional(z.number()),
  retention_transcripts: z.optional(z.number()),
  retention_calls: z.optional(z.number()),
  retention_activity: z.optional(z.number()),
  /** Counts the changes of the settings; absent for 0. */
  revision: z.optional(z.number()),
  updated_at: z.optional(z.string()),
  /** E-mail address of a member, or the operator's name. */
  updated_by: z.optional(z.string()),
  /** Sealed `whsec_…` secrets, the current one first. A former one also signs, until `until`. */
  callback_secrets: z.array(z.object({ ciphertext: z.string(), hint: z.string(), until: z.optional(z.string()) })),
});

export type Organization = z.infer<typeof organizationSchema>;

/** Credits per started minute. */
export const DEFAULT_RATE_CREDITS = 1;

export const DEFAULT_REGION = 'IN';
