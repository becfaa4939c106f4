import * as z from 'zod/mini';
import type { DashboardRoute } from './route.ts';

/** Calls the member's own phone. */
export const placeTestCall = {
  method: 'POST',
  path: '/calls',
  role: 'member',
  idempotencyKey: 'required',
  request: z.strictObject({
    assistant_id: z.string().check(z.minLength(1), z.maxLength(64)),
    /** Values of the assistant's variables. */
    variables: z.optional(
      z
        .record(z.string().check(z.minLength(1), z.maxLength(100)), z.string().check(z.maxLength(500)))
        .check(z.refine((values) => Object.keys(values).length <= 50, 'At most 50 variables.')),
    ),
  }),
  answer: z.object({
    call_id: z.string(),
    phone_number: z.string(),
    /** Credits that the call holds until it ends. */
    held: z.number(),
  }),
} as const satisfies DashboardRoute;
