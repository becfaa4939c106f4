import * as z from 'zod/mini';
import { leadHappenings, leadSchema, leadSources } from '../domain/lead.ts';

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
  lead: leadSchema,
  /** Names of the members of the payload, for the look at what could not be read. */
  payload_keys: z.array(z.string()),
});

export type LeadEvent = z.infer<typeof leadEvent>;
