import * as z from 'zod/mini';

/** A message on the switch-offs queue: a connection whose waiting and scheduled calls are canceled, page by page. */
export const switchOff = z.object({
  connection_id: z.string(),
  /** The calls of this page; absent for the first page of the waiting calls. */
  work: z.optional(z.enum(['waiting', 'reserved', 'scheduled'])),
  /** The end of the previous page. */
  after: z.optional(z.object({ call_id: z.string(), dial_by: z.string() })),
  /** Instead of a page: one call, which could not be canceled with its page. */
  call_id: z.optional(z.string()),
});

export type SwitchOff = z.infer<typeof switchOff>;
