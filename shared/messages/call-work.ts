import * as z from 'zod/mini';

/** A message on the queues of work on one call. Other members of an event are ignored. */
export const callWork = z.object({ call_id: z.string() });

export type CallWork = z.infer<typeof callWork>;

/** A message on the slots queue: a slot may be free. `call_id` is the call that freed it, if any. */
export const slotFreed = z.object({ call_id: z.optional(z.string()) });
