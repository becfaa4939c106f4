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
