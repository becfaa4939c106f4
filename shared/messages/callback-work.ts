import * as z from 'zod/mini';

/** On the callbacks queue: an event that the call's client wants to be told of. */
const callbackEvent = z.object({
  call_id: z.string(),
  type: z.string(),
  at: z.string(),
  /** The Call object at the event; absent where recover-calls asks: then the call as it stands. */
  call: z.optional(z.record(z.string(), z.unknown())),
});

/** On the callbacks queue: the next attempt of a notification that is kept already. */
const callbackAttempt = z.object({ call_id: z.string(), webhook_id: z.string() });

export const callbackWork = z.union([callbackAttempt, callbackEvent]);

export type CallbackEvent = z.infer<typeof callbackEvent>;
export type CallbackWork = z.infer<typeof callbackWork>;
