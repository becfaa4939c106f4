import * as z from 'zod/mini';

/** On the dial and finish queues: a call that has work to be done. What else an event carries is left aside. */
export const callWork = z.object({ call_id: z.string() });

export type CallWork = z.infer<typeof callWork>;

/** On the slots queue: a slot may be free. The call that freed it, where it was one. */
export const slotFreed = z.object({ call_id: z.optional(z.string()) });
