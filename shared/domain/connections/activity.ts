import * as z from 'zod/mini';
import type { Shown } from '../newer-values.ts';
import { ACTIVITY_DAYS } from '../organizations/retention.ts';

/** The origin of an event. `webhook`: the CRM. `release`: the call window of a scheduled call opens. */
export const leadSources = ['webhook', 'test', 'retry', 'catch-up', 'sunday-sweep', 'release'] as const;

/** Changes of a lead at the CRM (docs/leads.md, "Lead events"). */
export const leadEventKinds = [
  'new_lead',
  'owner_reassignment',
  'lead_edited',
  'lead_deleted',
  'sunday_retry',
  'test',
  'other',
] as const;
export type LeadEventKind = (typeof leadEventKinds)[number];

/** The outcomes of a lead event (docs/leads.md, "The decision"). */
export const outcomes = [
  'call queued',
  'call scheduled',
  'auto_call_disabled',
  'no_lead_id_in_payload',
  'lead_not_found',
  'crm_unavailable',
  'owner_mismatch',
  'no_dialable_phone',
  'own_platform_number',
  'do_not_call',
  'destination_not_allowed',
  'assistant_missing',
  'retried_recently',
  'already_called',
  'already_called_race',
  'phone_already_called',
  'insufficient_credits',
  'ignored',
  'spend_limit_reached',
  'expired',
  'platform_unreachable',
  'refused_by_platform',
  'lost',
] as const;

export type Outcome = (typeof outcomes)[number];

/** The outcomes after which a person can remove the obstacle and retry the lead. */
export const retryableOutcomes = [
  'insufficient_credits',
  'destination_not_allowed',
  'crm_unavailable',
  'expired',
  'platform_unreachable',
  'refused_by_platform',
] as const;

export type RetryableOutcome = (typeof retryableOutcomes)[number];

export const isRetryable = (outcome: string): outcome is RetryableOutcome =>
  (retryableOutcomes as readonly string[]).includes(outcome);

/** An entry of a connection's Activity: a lead event and its outcome. */
export const activityEntrySchema = z.object({
  connection_id: z.string(),
  event_id: z.string(),
  org_id: z.string(),
  /** When the event was queued. */
  at: z.string(),
  source: z.enum([...leadSources, 'dial']),
  event: z.enum(leadEventKinds),
  test: z.boolean(),
  lead_id: z.optional(z.string()),
  /** Masked, because readers of the list need not dial it. */
  phone_masked: z.optional(z.string()),
  /** Finds the entries of a number (phone-hash.ts). Absent if no number of the lead can be dialed. */
  phone_hash: z.optional(z.string()),
  owner_id: z.optional(z.string()),
  outcome: z.enum(outcomes),
  /** The explanation in words. */
  reason: z.string(),
  call_id: z.optional(z.string()),
  /** Present while the call waits for its window. */
  scheduled_for: z.optional(z.string()),
  /** The send time of the message that decides the event again if another lead's call frees its phone. */
  followed_at: z.optional(z.string()),
  payload_keys: z.array(z.string()),
  /** The id of the entry that shows the state of the event instead (docs/leads.md, "Superseded entries"). */
  superseded_by: z.optional(z.string()),
  /** The event as JSON if it can be retried. It is never shown. */
  retryable: z.optional(z.string()),
  /** Epoch seconds: the table's time to live. */
  expires_at: z.number(),
});

export type ActivityEntry = z.infer<typeof activityEntrySchema>;

/** Returns the id of the try before a retry; undefined for an event that is not a retry. */
export function formerTryOf(eventId: string): string | undefined {
  const [, event, number] = /^(.+)\.retry\.(\d+)$/.exec(eventId) ?? [];
  return number === undefined || number === '1' ? event : `${event}.retry.${Number(number) - 1}`;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Returns when an entry expires, in epoch seconds. @param days after `at`, by the retention; at most 90 */
export const activityExpiry = (at: string, days = ACTIVITY_DAYS): number =>
  Math.floor(Date.parse(at) / 1000) + Math.min(days, ACTIVITY_DAYS) * DAY_SECONDS;

const ERASED = 'The person was erased.';

/** Returns whether an entry no longer contains personal data. */
export const isErasedEntry = ({ reason }: Pick<ActivityEntry, 'reason'>): boolean => reason === ERASED;

/**
 * Returns an entry without personal data. Event, outcome and time remain: a repeated message must find the event
 * decided, and daily counts must not change.
 */
export const erasedEntry = (entry: Omit<Shown<ActivityEntry>, 'retryable'>): Shown<ActivityEntry> => ({
  connection_id: entry.connection_id,
  event_id: entry.event_id,
  org_id: entry.org_id,
  at: entry.at,
  source: entry.source,
  event: entry.event,
  test: entry.test,
  outcome: entry.outcome,
  reason: ERASED,
  ...(entry.call_id !== undefined && { call_id: entry.call_id }),
  ...(entry.superseded_by !== undefined && { superseded_by: entry.superseded_by }),
  payload_keys: [],
  expires_at: entry.expires_at,
});
