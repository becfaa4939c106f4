import * as z from 'zod/mini';
import { leadHappenings, leadSources } from '../domain/connections/activity.ts';
import { leadSchema } from '../domain/leads/lead.ts';

/** On the leads queue: something happened to a lead. Ids, phones, owner, the fields that have a value, cut, and key names; never the raw body. */
export const leadEvent = z.object({
  /** Given by whoever queues it, so that a repeated message is known as the same event. */
  event_id: z.string(),
  /** Of the event that this one repeats; its call is the original's. */
  original_event_id: z.optional(z.string()),
  connection_id: z.string(),
  source: z.enum(leadSources),
  event: z.enum(leadHappenings),
  test: z.boolean(),
  /** When it was queued. */
  at: z.string(),
  /** When the original event was queued: a lead that was called on that day is not called again. */
  original_at: z.optional(z.string()),
  /** All that CRM-B tells of a lead is its id: the rest is fetched before the decision. */
  lead: leadSchema,
  /** Why the CRM's message is not about a lead that could be called. */
  ignored: z.optional(z.string()),
  /** The Sunday sweep's (interface, "Webhook processing rules", 9). */
  sunday_rnr_retry: z.optional(z.literal(true)),
  /** Of a release: the time that the call was scheduled for. */
  scheduled_for: z.optional(z.string()),
  /** How often the CRM could not be asked about the lead so far. */
  tries: z.optional(z.number()),
  /** Names of the members of the payload, for the look at what could not be read. */
  payload_keys: z.array(z.string()),
});

export type LeadEvent = z.infer<typeof leadEvent>;
