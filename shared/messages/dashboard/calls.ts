import * as z from 'zod/mini';
import { analysisResultSchema, sentiments, successEvals } from '../../domain/calls/analysis.ts';
import { callFacts, callSteps } from '../../domain/calls/call-facts.ts';
import { callPhases } from '../../domain/calls/call-phase.ts';
import { callSources } from '../../domain/calls/call-source.ts';
import { callStatuses } from '../../domain/calls/call-status.ts';
import { talkLineSchema } from '../../domain/calls/conversation/talk.ts';
import { turnKinds } from '../../domain/calls/recovery/turn.ts';
import { leadSources } from '../../domain/connections/activity.ts';
import { orNewer } from '../../domain/newer-values.ts';
import { namedKeySchema } from '../../domain/organizations/requester.ts';
import { creditEntry } from './credit.ts';
import { instant, page } from './page.ts';
import type { DashboardRoute } from './route.ts';

/** A call in the list: duration in seconds, cost in credits, null for unknown values. */
export const callRow = z.object({
  id: z.string(),
  placed_at: z.string(),
  phone_number: z.string(),
  assistant: z.object({ id: z.string(), name: z.string() }),
  source: orNewer(callSources),
  status: orNewer(callStatuses),
  ended_reason: z.nullable(z.string()),
  /** Present while the call waits for its call window. */
  scheduled_for: z.nullable(z.string()),
  started_at: z.nullable(z.string()),
  duration: z.nullable(z.number()),
  cost: z.nullable(z.number()),
  success: z.nullable(orNewer(successEvals)),
  callback_status: z.nullable(orNewer(['pending', 'delivered', 'failed'])),
  /** Whether the call may change at any second. */
  is_live: z.boolean(),
});

export type CallRow = z.infer<typeof callRow>;

/** `is_cut`: there may be more. */
const count = z.object({ count: z.number(), is_cut: z.boolean() });

/** The unfinished calls; `waiting` are live ones without a line. */
export const countsUnderWay = z.object({ live: count, waiting: count, scheduled: count });

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
    from: z.optional(instant),
    to: z.optional(instant),
    /** Unfinished calls; `to`, `from` and the other filters narrow them further. */
    phase: z.optional(z.enum(callPhases)),
    /** Also counts the unfinished calls. */
    counts: z.optional(z.enum(['true'])),
    /** A call's id, its idempotency key, its number in any usual form, or its lead's id in the CRM. */
    q: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  }),
  answer: z.object({
    items: z.array(callRow),
    next: z.nullable(z.string()),
    /** How far a filtered list has searched: back in time, except among scheduled calls. */
    searched_to: z.nullable(z.string()),
    counts: z.nullable(countsUnderWay),
  }),
} as const satisfies DashboardRoute;

const text = z.nullable(z.string());

/** The source of a call: a client's API key, a person who tried an assistant, or a lead event. */
const placedBy = z.union([
  z.object({ kind: z.literal('key'), ...namedKeySchema.shape }),
  z.object({ kind: z.literal('member'), user_id: z.string(), name: z.string() }),
  /** `asked_by`: the person who sent the test event or retried the event. */
  z.object({ kind: z.literal('lead'), event_id: z.string(), source: orNewer(leadSources), asked_by: text }),
  /** A source that a newer version wrote, by its name. */
  z.object({ kind: z.literal('newer'), name: z.string() }),
]);

const analysisResult = z.object({
  ...analysisResultSchema.shape,
  success_eval: orNewer(successEvals),
  sentiment: orNewer(sentiments),
});

/** A call with its follow-ups. Credit is in credits, durations in seconds. */
const shownCall = z.object({
  ...callRow.shape,
  idempotency_key: text,
  callback_url: text,
  request_metadata: z.record(z.string(), z.unknown()),
  /** Whether the number is on the do-not-call list. */
  is_listed: z.boolean(),
  /** Attempts to dial. */
  attempts: z.number(),
  /** Sorted by time. */
  timeline: z.array(z.object({ what: z.enum(callFacts), at: z.string() })),
  /** Why it is not dialed yet: its call window is closed, or every line is in use. */
  waits: z.nullable(z.object({ for: z.enum(['window', 'line']), until: text })),
  credit: z.object({
    /** Per started minute. */
    rate: z.number(),
    max_duration: z.number(),
    held: z.number(),
    charged: z.nullable(z.number()),
    returned: z.nullable(z.number()),
    /** The cost beyond the hold, which is not charged. */
    beyond_hold: z.number(),
    /** The call's ledger entries, sorted by time. */
    entries: z.array(creditEntry),
  }),
  /** Null for calls from before this was stored. */
  placed_by: z.nullable(placedBy),
  lead: z.nullable(
    z.object({
      crm: orNewer(['crm-a', 'crm-b']),
      connection_id: z.string(),
      lead_id: z.string(),
      event: z.string(),
      is_test: z.boolean(),
      owner_id: text,
      fields: z.record(z.string(), z.string()),
    }),
  ),
  /** The writes to CRM-B and the help desk that have begun. */
  steps: z.array(
    z.object({
      step: z.enum(callSteps),
      state: orNewer(['asked', 'written', 'none', 'failed', 'unconfirmed']),
      at: z.string(),
      id: text,
      error: text,
    }),
  ),
  /** Outstanding writes: why the last try failed, and when the next one is due. */
  open_steps: z.array(z.object({ of: z.enum(turnKinds), error: z.string(), next_at: text })),
  callbacks: z.array(
    z.object({
      webhook_id: z.string(),
      type: z.string(),
      state: orNewer(['pending', 'delivered', 'failed', 'superseded', 'gone']),
      created_at: z.string(),
      next_attempt_at: text,
      /** When a person requested the attempt that is in progress. */
      asked_at: text,
      attempts: z.array(
        z.object({ at: z.string(), status_code: z.nullable(z.number()), error: text, is_asked: z.boolean() }),
      ),
    }),
  ),
  analysis: z.nullable(
    z.object({
      state: orNewer(['pending', 'done', 'none', 'failed']),
      is_cut: z.boolean(),
      error: text,
      result: z.nullable(analysisResult),
    }),
  ),
  transcript: z.object({
    state: z.enum(['none', 'stored', 'unavailable']),
    text,
    is_cut: z.boolean(),
    /** With the platform's times; null if they are not stored or cannot be read. */
    lines: z.nullable(z.array(talkLineSchema)),
  }),
  recording: z.nullable(z.object({ state: orNewer(['pending', 'stored', 'none', 'failed']), error: text })),
});

export type ShownCall = z.infer<typeof shownCall>;

export const showCall = {
  method: 'GET',
  path: '/calls/{id}',
  role: 'viewer',
  answer: shownCall,
} as const satisfies DashboardRoute;

export const linkRecording = {
  method: 'GET',
  path: '/calls/{id}/recording',
  role: 'viewer',
  query: z.object({
    /** Saves the file instead of playing it. */
    download: z.optional(z.enum(['true'])),
  }),
  /** The link opens the recording for five minutes, without a session. */
  answer: z.object({ url: z.string() }),
} as const satisfies DashboardRoute;
