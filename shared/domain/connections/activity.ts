import * as z from 'zod/mini';

/** How an event came to us. `webhook`: from the CRM. `release`: a scheduled call's time has come. */
export const leadSources = ['webhook', 'test', 'retry', 'catch-up', 'sunday-sweep', 'release'] as const;

/** What happened to the lead at the CRM (interface, "Events"). */
export const leadHappenings = [
  'new_lead',
  'owner_reassignment',
  'lead_edited',
  'lead_deleted',
  'sunday_retry',
  'test',
  'other',
] as const;
export type LeadHappening = (typeof leadHappenings)[number];

/** What may become of a lead event (interface, "Outcomes recorded in Activity"; docs/leads.md has the additions). */
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
  'assistant_missing',
  'retried_recently',
  'already_called',
  'already_called_race',
  'phone_already_called',
  'insufficient_credits',
  'ignored',
] as const;

export type Outcome = (typeof outcomes)[number];

/** One line of a connection's Activity list: what came in, and what became of it. */
export const activityEntrySchema = z.object({
  connection_id: z.string(),
  event_id: z.string(),
  org_id: z.string(),
  /** When the event came in. */
  at: z.string(),
  source: z.enum([...leadSources, 'dial']),
  event: z.enum(leadHappenings),
  test: z.boolean(),
  lead_id: z.optional(z.string()),
  /** Masked: the list is read by people who need not dial it. */
  phone_masked: z.optional(z.string()),
  owner_id: z.optional(z.string()),
  outcome: z.enum(outcomes),
  /** In words. */
  reason: z.string(),
  call_id: z.optional(z.string()),
  /** Where the call waits for its window. */
  scheduled_for: z.optional(z.string()),
  payload_keys: z.array(z.string()),
  /** The event itself, as JSON, where it can be queued once more: never shown. */
  retryable: z.optional(z.string()),
  /** Epoch seconds: the table's time to live. */
  expires_at: z.number(),
});

export type ActivityEntry = z.infer<typeof activityEntrySchema>;

const KEPT_SECONDS = 90 * 24 * 60 * 60;

/** @param at ISO 8601. @returns when an entry may be forgotten, in epoch seconds: 90 days later. */
export const activityExpiry = (at: string): number => Math.floor(Date.parse(at) / 1000) + KEPT_SECONDS;
