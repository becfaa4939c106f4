import * as z from 'zod/mini';

/** A lead as a CRM told it, reduced to what decides and what the assistant may know. */
export const leadSchema = z.object({
  lead_id: z.optional(z.string()),
  /** As the CRM wrote them, in the order in which they are tried. */
  phones: z.array(z.string()),
  owner_id: z.optional(z.string()),
  /** The CRM's own flag. */
  do_not_call: z.boolean(),
  /** The fields that have a value, under the CRM's names. */
  fields: z.record(z.string(), z.string()),
});

export type Lead = z.infer<typeof leadSchema>;

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
