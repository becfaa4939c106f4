import * as z from 'zod/mini';

/** A lead of a CRM, reduced to the facts for the decision and for the assistant. */
export const leadSchema = z.object({
  lead_id: z.optional(z.string()),
  /** As written in the CRM, in order of preference. */
  phones: z.array(z.string()),
  owner_id: z.optional(z.string()),
  /** For display; only CRM-B provides it. */
  owner_name: z.optional(z.string()),
  /** The flag in the CRM, not our do-not-call list. */
  do_not_call: z.boolean(),
  /** The fields with a value, by their names in the CRM. */
  fields: z.record(z.string(), z.string()),
});

export type Lead = z.infer<typeof leadSchema>;
