import * as z from 'zod/mini';
import { successEvals } from '../../domain/calls/analysis.ts';
import { callSources } from '../../domain/calls/call-source.ts';
import { callStatuses } from '../../domain/calls/call-status.ts';
import { page } from './people.ts';
import type { DashboardRoute } from './route.ts';

/** A call in the list: duration in seconds, cost in credits, null for unknown values. */
const callRow = z.object({
  id: z.string(),
  placed_at: z.string(),
  phone_number: z.string(),
  assistant: z.object({ id: z.string(), name: z.string() }),
  source: z.enum(callSources),
  status: z.enum(callStatuses),
  ended_reason: z.nullable(z.string()),
  /** Present while the call waits for its call window. */
  scheduled_for: z.nullable(z.string()),
  started_at: z.nullable(z.string()),
  duration: z.nullable(z.number()),
  cost: z.nullable(z.number()),
  success: z.nullable(z.enum(successEvals)),
  callback_status: z.nullable(z.enum(['pending', 'delivered', 'failed'])),
  /** Whether it may change from one second to the next. */
  is_live: z.boolean(),
});

export type CallRow = z.infer<typeof callRow>;

export const listCalls = {
  method: 'GET',
  path: '/calls',
  role: 'viewer',
  query: z.object({
    ...page,
    status: z.optional(z.enum(callStatuses)),
    assistant_id: z.optional(z.string().check(z.maxLength(64))),
    source: z.optional(z.enum(callSources)),
    success: z.optional(z.enum(successEvals)),
    callback: z.optional(z.enum(['failed'])),
    /** When the call was placed, both inclusive. */
    from: z.optional(z.iso.datetime()),
    to: z.optional(z.iso.datetime()),
    /** A call's id, or the idempotency key that it was placed with. */
    q: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  }),
  answer: z.object({
    items: z.array(callRow),
    next: z.nullable(z.string()),
    /** How far a filtered list has looked. */
    searched_to: z.nullable(z.string()),
  }),
} as const satisfies DashboardRoute;
