import * as z from 'zod/mini';

/** A message on the queues of work on one call. Other members of an event are ignored. */
export const callWork = z.object({ call_id: z.string() });

export type CallWork = z.infer<typeof callWork>;

/** A message on the dial queue: the dial of a call, or work on a call at the platform. */
export const dialWork = z.object({
  call_id: z.string(),
  /** Ends a call at the platform. `tries`: how often the platform could not be reached. */
  hang_up: z.optional(z.object({ platform_id: z.string(), tries: z.number() })),
  /** The platform's id of a queued call, which is ended if it must not ring, or is still queued at `dial_by`. */
  end_if_queued: z.optional(z.string()),
  /** With `end_if_queued`: how often the platform could not be read. */
  tries: z.optional(z.number()),
});

export type DialWork = z.infer<typeof dialWork>;

/**
 * A message on the slots queue: slots may be free, or calls may wait for one.
 *
 * - `org_id`: the organization whose call waits, or has freed a slot.
 * - `type`: the type of an event on the bus; absent if another sender reports a waiting call of the organization.
 * - `at`: the instant of the change, ISO 8601.
 * - `freed_slots`: whether a call that held slots has ended.
 * - `end_parking`: whether the organization's settings changed, which ends its parking until an instant.
 * - `freed_credit`: whether credit was added or released, for which calls of the organization may wait.
 * - `unless_parked`: the message has no effect while the organization waits for its live calls to end.
 */
export const slotsWork = z.object({
  call_id: z.optional(z.string()),
  org_id: z.optional(z.string()),
  type: z.optional(z.string()),
  at: z.optional(z.string()),
  freed_slots: z.optional(z.boolean()),
  end_parking: z.optional(z.boolean()),
  unless_parked: z.optional(z.boolean()),
  freed_credit: z.optional(z.boolean()),
});

export type SlotsWork = z.infer<typeof slotsWork>;
