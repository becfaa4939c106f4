import * as z from 'zod/mini';

/** A message on the queues of work on one call. Other members of an event are ignored. */
export const callWork = z.object({ call_id: z.string() });

export type CallWork = z.infer<typeof callWork>;

/**
 * A message on the slots queue: slots may be free, or calls may wait for one.
 *
 * - `org_id`: the organization whose call waits, or has freed a slot.
 * - `type`: of an event on the bus; absent for other senders, for which a call of the organization waits.
 * - `at`: the instant of the change, ISO 8601.
 */
export const slotsWork = z.object({
  call_id: z.optional(z.string()),
  org_id: z.optional(z.string()),
  type: z.optional(z.string()),
  at: z.optional(z.string()),
});

export type SlotsWork = z.infer<typeof slotsWork>;
