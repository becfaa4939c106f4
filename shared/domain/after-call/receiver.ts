import * as z from 'zod/mini';
import { demandedWait } from '../time/demanded-wait.ts';
import { secondsAfter, secondsBetween } from '../time/instants.ts';

export const leaseSchema = z.object({ id: z.string(), until: z.string() });

export type Lease = z.infer<typeof leaseSchema>;

/** The known state of a receiver: its last answer or failures, and its breaker. */
export const receiverStateSchema = z.object({
  /** Attempts without an answer since the last answer. */
  failures: z.number(),
  failed_at: z.optional(z.string()),
  /** When it last answered. Absent before the first answer, and from a failure to the next answer. */
  answered_at: z.optional(z.string()),
  /** The breaker is open until this instant, and then half-open until the next answer. Absent while it is closed. */
  open_until: z.optional(z.string()),
});

/** A receiver with its open attempts, as stored. */
export const receiverSchema = z.extend(receiverStateSchema, {
  receiver: z.string(),
  /** Grows with every write. */
  version: z.number(),
  /** The leases of open attempts, each until its worker ends it or may have died. */
  leases: z.array(leaseSchema),
  /** Epoch seconds: the table's time to live. */
  expires_at: z.number(),
});

export type Receiver = z.infer<typeof receiverSchema>;

/**
 * How an attempt ended for its receiver. `unanswered`: no answer in time, or one that says that the receiver is
 * overloaded. `unused`: the attempt sent no request.
 */
export type ReceiverOutcome = 'answered' | 'unanswered' | 'unused';

/** The outcome of an attempt, and the wait that the receiver demands from every request. */
export type ReceiverAnswer = { outcome: ReceiverOutcome; retryAfterSeconds?: number | undefined };

/**
 * The answer to an attempt that ends. `random` from 0 to 1 shortens the time for which the breaker is open by up to a
 * quarter.
 */
export type EndedAttempt = ReceiverAnswer & { leaseId: string; now: Date; random: number };

/**
 * The reason why a receiver takes no attempt now. `isAnswering`: the attempts under way will probably end soon.
 * `until`: ISO 8601, if the breaker is open.
 */
export type ReceiverRefusal =
  | { kind: 'refused'; reason: 'busy'; isAnswering: boolean }
  | { kind: 'refused'; reason: 'open'; until: string };

/** `share`: work of the same organization uses up its share of the workers. */
export type ShareRefusal = { kind: 'refused'; reason: 'share'; isAnswering: boolean };

export type Admission = { kind: 'admitted'; next: Receiver } | ReceiverRefusal;

/**
 * The most concurrent attempts at a receiver that answers, and at one that is new or has failed. Far fewer than a
 * queue's workers (lib/functions.ts), so that several receivers may hang at once.
 */
const MAX_AT_ONCE = 3;
const MAX_AFTER_FAILURE = 2;
/** Failures in a row, each within `WINDOW_SECONDS` of the previous one, that open the breaker. */
const FAILURES_TO_OPEN = 4;
const WINDOW_SECONDS = 10 * 60;
const FIRST_OPEN_SECONDS = 30;
const LONGEST_OPEN_SECONDS = 5 * 60;
/** How long a receiver is stored after its last attempt. */
export const RETENTION_SECONDS = 24 * 60 * 60;

const FIRST_WAIT_SECONDS = 5;
const FIRST_SHORT_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 5 * 60;
/** Spreads the work that waits for an open breaker, so that its end causes no burst. */
const SPREAD_SECONDS = 30;

/** Names the receiver behind a connection to a CRM or a help desk. */
export const connectionReceiver = (connectionId: string): string => `connection ${connectionId}`;

/**
 * Decides whether an attempt may begin at a receiver now (docs/call-lifecycle.md, "One slow receiver").
 * @param known undefined if the receiver has had no attempt for a day. @param lease the attempt's own.
 */
export function admit(receiver: string, known: Receiver | undefined, lease: Lease, now: Date): Admission {
  const at = now.toISOString();
  const { version, ...rest }: Receiver = known ?? { receiver, version: 0, leases: [], failures: 0, expires_at: 0 };
  const live = rest.leases.filter(({ until }) => until > at);
  // The response to this lease's write was lost.
  if (known && live.some(({ id }) => id === lease.id)) return { kind: 'admitted', next: known };
  const { open_until: until = '' } = rest;
  if (until > at) return { kind: 'refused', reason: 'open', until };
  const isAnswering = rest.answered_at !== undefined;
  const most = isAnswering ? MAX_AT_ONCE : MAX_AFTER_FAILURE;
  if (live.length >= (rest.open_until === undefined ? most : 1))
    return { kind: 'refused', reason: 'busy', isAnswering };
  const next = { ...rest, leases: [...live, lease], version: version + 1, expires_at: expiryFrom(now) };
  return { kind: 'admitted', next };
}

/**
 * Ends an attempt's lease. An answer closes the breaker. The fourth failure in a row, and each later one, opens it, for
 * longer each time. If the receiver demands a wait, the breaker opens at once, for at least that long.
 */
export function settleAttempt(
  known: Receiver,
  { leaseId, outcome, retryAfterSeconds, now, random }: EndedAttempt,
): Receiver {
  const at = now.toISOString();
  const { failures, failed_at, answered_at, open_until, ...rest } = known;
  const ended = {
    ...rest,
    leases: rest.leases.filter(({ id }) => id !== leaseId),
    version: known.version + 1,
    expires_at: expiryFrom(now),
  };
  if (outcome === 'answered') return { ...ended, failures: 0, answered_at: at };
  if (outcome === 'unused') return { ...known, ...ended };
  // An attempt that began before the breaker opened carries no new information.
  if (open_until !== undefined && open_until > at) return { ...ended, failures, failed_at, open_until };
  const isConsecutive = open_until !== undefined || (failed_at && secondsBetween(failed_at, now) <= WINDOW_SECONDS);
  const count = isConsecutive ? failures + 1 : 1;
  const failed = { ...ended, failures: count, failed_at: at };
  const backOff =
    count < FAILURES_TO_OPEN
      ? 0
      : Math.min(FIRST_OPEN_SECONDS * 2 ** (count - FAILURES_TO_OPEN), LONGEST_OPEN_SECONDS) * (1 - random / 4);
  const seconds = Math.max(backOff, demandedWait(retryAfterSeconds));
  return seconds === 0 ? failed : { ...failed, open_until: secondsAfter(now, seconds) };
}

/** Returns when a receiver expires if its last attempt is now, in epoch seconds. */
export const expiryFrom = (now: Date): number => Math.floor(now.getTime() / 1000) + RETENTION_SECONDS;

/**
 * Computes the wait of work that its receiver refused: until the breaker lets a probe through; otherwise as long as it
 * has waited already, from 5 seconds to 5 minutes, so that a long backlog costs few messages. At a receiver that
 * answers, a third as long, from one second.
 * @param waitingSince ISO 8601. @param random 0 to 1: the jitter.
 * @returns seconds: 7.5 minutes at most, or 15.5 if the receiver demanded a wait
 */
export function waitSeconds(
  refusal: ReceiverRefusal | ShareRefusal,
  waitingSince: string,
  now: Date,
  random: number,
): number {
  if (refusal.reason === 'open') return Math.max(0, secondsBetween(now, refusal.until)) + SPREAD_SECONDS * random;
  const waited = secondsBetween(waitingSince, now);
  const [first, wait] = refusal.isAnswering ? [FIRST_SHORT_WAIT_SECONDS, waited / 3] : [FIRST_WAIT_SECONDS, waited];
  return Math.max(first, Math.min(LONGEST_WAIT_SECONDS, wait)) * (1 + random / 2);
}
