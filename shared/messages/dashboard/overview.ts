import * as z from 'zod/mini';
import { brokenStatuses, connectionStatuses } from '../../domain/connections/connection-health.ts';
import { connectionTypes } from '../../domain/connections/connection-type.ts';
import { stoppedOutcomes } from '../../domain/overview/attention.ts';
import { overviewParts } from '../../domain/overview/overview.ts';
import { countsUnderWay } from './calls.ts';
import { newerConnection } from './connections.ts';
import type { DashboardRoute } from './route.ts';

/** Counts of the calls that ended on a day in India: by last status, seconds of talk, credits, first analyses. */
const usageDay = z.object({
  day: z.string(),
  completed: z.number(),
  transferred: z.number(),
  no_answer: z.number(),
  busy: z.number(),
  failed: z.number(),
  canceled: z.number(),
  seconds: z.number(),
  credits: z.number(),
  success: z.number(),
  partial: z.number(),
  failure: z.number(),
});

export type UsageDayView = z.infer<typeof usageDay>;

const ofConnection = { connection_id: z.string(), type: z.enum(connectionTypes) };

const attention = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('suspended') }),
  z.object({ kind: z.literal('low_credit'), available: z.number(), warn_below: z.nullable(z.number()) }),
  z.object({ kind: z.literal('daily_limit'), limit: z.number(), spent: z.number() }),
  z.object({
    kind: z.literal('broken_connection'),
    ...ofConnection,
    status: z.enum(brokenStatuses),
    reason: z.string(),
  }),
  z.object({ kind: z.literal('incomplete_connection'), ...ofConnection, lacks: z.enum(['assistant', 'owner']) }),
  z.object({ kind: z.literal('setting_without_effect'), ...ofConnection, sentence: z.string() }),
  z.object({
    kind: z.literal('leads_not_called'),
    ...ofConnection,
    outcome: z.enum(stoppedOutcomes),
    leads: z.number(),
    /** The first day in India that was examined. */
    since: z.string(),
  }),
  z.object({ kind: z.literal('failed_callbacks'), calls: z.number() }),
  z.object({ kind: z.literal('waiting_call'), call_id: z.string() }),
]);

export type AttentionView = z.infer<typeof attention>;

const overview = z.object({
  /** When it was read. */
  at: z.string(),
  /** The parts that could not be read. They are null, and `attention` may be incomplete. */
  unread: z.array(z.enum(overviewParts)),
  /** Every day of the range, the earliest first; the last one is today in India. */
  usage: z.nullable(z.array(usageDay)),
  /** The same counts as on the tabs of the page of the calls. */
  now: z.nullable(countsUnderWay),
  /** Leads with an event since midnight in India, by outcome. */
  leads: z.nullable(
    z.object({
      leads: z.number(),
      called: z.number(),
      waiting: z.number(),
      not_called: z.number(),
      /** The leads that were not called, by outcome, including outcomes of newer versions. */
      outcomes: z.record(z.string(), z.number()),
      /** Whether all entries of the day were read; otherwise the counts are too low. */
      is_all: z.boolean(),
    }),
  ),
  connections: z.nullable(
    z.array(
      z.object({
        ...ofConnection,
        status: z.enum(connectionStatuses),
        reason: z.nullable(z.string()),
        auto_call: z.boolean(),
        last_delivery_at: z.nullable(z.string()),
      }),
    ),
  ),
  /** Connections that only a newer version of the service can read; absent in answers of the release before. */
  newer_connections: z.optional(z.array(newerConnection)),
  /** Amounts in credits. `pace`: the current cost of a day. */
  credit: z.nullable(
    z.object({
      available: z.number(),
      held: z.number(),
      warn_below: z.nullable(z.number()),
      /** The committed spend of today's calls, and its limit; null without a daily limit. */
      today: z.nullable(z.object({ limit: z.number(), spent: z.number() })),
      pace: z.nullable(z.number()),
      /** null if no credit is currently used. */
      days_left: z.nullable(z.number()),
    }),
  ),
  /** A new organization's completed first steps; null for an established one. */
  steps: z.nullable(
    z.object({
      assistant: z.boolean(),
      tried: z.boolean(),
      source: z.boolean(),
      call: z.boolean(),
      callback: z.boolean(),
    }),
  ),
  /** The most urgent one first. */
  attention: z.array(attention),
});

export type Overview = z.infer<typeof overview>;

export const showOverview = {
  method: 'GET',
  path: '/overview',
  role: 'viewer',
  /** The number of days of usage, including today: 7 by default. */
  query: z.object({ days: z.optional(z.enum(['7', '30', '90'])) }),
  answer: overview,
} as const satisfies DashboardRoute;
