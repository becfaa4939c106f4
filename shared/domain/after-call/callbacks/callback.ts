import * as z from 'zod/mini';
import type { Call } from '../../calls/call.ts';
import { type CallStatus, callStatuses, isTerminal, rankOf } from '../../calls/call-status.ts';
import { callExpiry } from '../../calls/retention/kept-files.ts';

const attemptSchema = z.object({
  at: z.string(),
  status_code: z.optional(z.number()),
  error: z.optional(z.string()),
  /** Requested by a person: it does not count against the schedule. */
  asked: z.optional(z.boolean()),
});

export type CallbackAttempt = z.infer<typeof attemptSchema>;

/** A notification to a call's client, as stored. */
export const callbackSchema = z.object({
  call_id: z.string(),
  webhook_id: z.string(),
  org_id: z.string(),
  /** `call.<status>`, or `call.analyzed`. */
  type: z.string(),
  url: z.string(),
  /** The exact text that every attempt signs and sends. */
  body: z.string(),
  created_at: z.string(),
  /** The attempts that began. One with neither status nor error is in progress, or its worker died. */
  attempts: z.array(attemptSchema),
  /** `gone`: the receiver answered 410, which ends the notifications of the call. */
  state: z.enum(['pending', 'delivered', 'failed', 'superseded', 'gone']),
  next_attempt_at: z.optional(z.string()),
  /** The lease of the worker that makes the attempt or plans the next one. */
  lease: z.optional(z.object({ id: z.string(), until: z.string() })),
  /** When the last message that was sent for the next attempt arrives. */
  message_at: z.optional(z.string()),
  /**
   * The requested attempt until it is made or given up. `at`: when it was requested. `next`: when the schedule's next
   * attempt is due, if the notification is pending (docs/call-lifecycle.md, "Sending again").
   */
  asked: z.optional(z.object({ at: z.string(), next: z.optional(z.string()) })),
  /** When the next attempt began to wait for its receiver. */
  put_off_since: z.optional(z.string()),
  /** Epoch seconds: the table's time to live. */
  expires_at: z.number(),
});

export type Callback = z.infer<typeof callbackSchema>;

/** Counts the attempts of the schedule, without those that a person requested. */
export const scheduledAttempts = ({ attempts }: Pick<Callback, 'attempts'>): number =>
  attempts.filter(({ asked }) => !asked).length;

const KEPT_SECONDS = 30 * 24 * 60 * 60;

/**
 * Returns when a notification expires, in epoch seconds: after 30 days, or with its call if that is earlier.
 * @param at when it was created, ISO 8601.
 */
export const callbackExpiry = (at: string, { keep, ended_at }: Pick<Call, 'keep' | 'ended_at'>): number =>
  Math.min(
    Math.floor(Date.parse(at) / 1000) + KEPT_SECONDS,
    callExpiry(keep, ended_at ?? at) ?? Number.POSITIVE_INFINITY,
  );

/** The type of the notification of a call's first analysis. */
export const ANALYZED = 'call.analyzed';

/** Returns the id of a notification: the same for the same event (Standard Webhooks, `webhook-id`). */
export const webhookIdFor = (callId: string, type: string): string => `${callId}_${type.replaceAll('.', '_')}`;

const statusIn = (type: string): CallStatus | undefined => callStatuses.find((status) => type === `call.${status}`);

/** Returns whether this notification reports its call's end. */
export function isEnd(type: string): boolean {
  const status = statusIn(type);
  return status !== undefined && isTerminal(status);
}

/**
 * Returns whether a delivered `later` makes `pending` obsolete: its status has a higher rank. `call.analyzed` has no
 * rank.
 */
export function supersedes(later: string, pending: string): boolean {
  const [laterStatus, pendingStatus] = [statusIn(later), statusIn(pending)];
  return laterStatus !== undefined && pendingStatus !== undefined && rankOf(laterStatus) > rankOf(pendingStatus);
}
