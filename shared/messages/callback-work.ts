import * as z from 'zod/mini';

/** A message on the callbacks queue: an event of a call to which the client subscribed. */
const callbackEvent = z.object({
  call_id: z.string(),
  type: z.string(),
  at: z.string(),
  /** The Call object at the event. recover-calls omits it; then the current call is sent. */
  call: z.optional(z.record(z.string(), z.unknown())),
});

/** A message on the callbacks queue: the next attempt of a stored notification. */
const callbackAttempt = z.object({ call_id: z.string(), webhook_id: z.string() });

export const callbackWork = z.union([callbackAttempt, callbackEvent]);

export type CallbackEvent = z.infer<typeof callbackEvent>;
export type CallbackWork = z.infer<typeof callbackWork>;
