import { type ReceiverAnswer, type ReceiverRefusal, waitSeconds } from '../../../domain/after-call/receiver.ts';
import {
  givenUpMark,
  isWritingOver,
  WRITING_DEADLINE_SECONDS,
} from '../../../domain/after-call/remote-writes/remote-writing.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { TURN_SECONDS, type TurnKind } from '../../../domain/calls/recovery/turn.ts';
import { cutReason } from '../../../domain/text/cut-text.ts';
import { secondsAfter, secondsBetween } from '../../../domain/time/instants.ts';
import type { CallWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { MAX_DELAY_SECONDS, type QueueSender } from '../../../stores/queue.ts';
import { type StepEnd, type WriteOnceDeps, type WriteStep, writeOnce } from './write-once.ts';

export type FinishedCall = Call & { finished_at: string };

/** One worker's turn at the writes of a call. */
export type Turn = {
  kind: TurnKind;
  call: FinishedCall;
  /** The end of the turn, ISO 8601; no other worker takes it earlier. */
  until: string;
  /** When the turn began, by the stopwatch. */
  startedAt: number;
  /** Why the remote system accepts no requests of this turn; absent if it accepts them. */
  refusal?: ReceiverRefusal;
  /** The remote system's answers in this turn. */
  answers: ReceiverAnswer[];
};

export type TakeTurnDeps = {
  calls: Pick<CallStore, 'get' | 'takeTurn'>;
  now: () => Date;
  /** Milliseconds of a monotonic clock, which tests do not move. */
  stopwatch: () => number;
};

/** Takes a call's turn. @returns undefined if it is not due, another worker has it, or no work is left. */
export async function takeTurn(deps: TakeTurnDeps, kind: TurnKind, callId: string): Promise<Turn | undefined> {
  const [now, startedAt] = [deps.now(), deps.stopwatch()];
  const until = secondsAfter(now, TURN_SECONDS);
  if (!(await deps.calls.takeTurn(kind, callId, { now: now.toISOString(), until }))) return undefined;
  const call = await deps.calls.get(callId);
  return call && isFinished(call) ? { kind, call, until, startedAt, answers: [] } : undefined;
}

const isFinished = (call: Call): call is FinishedCall => call.finished_at !== undefined;

export type TryStepDeps<Name extends string> = Omit<WriteOnceDeps<Name>, 'onAnswer'> & {
  stopwatch: () => number;
  /** Milliseconds into the turn after which a step might outlast the function. */
  latestStartMs: number;
};

/** A step whose turn ran out of time is tried soon, without a back-off. */
const NEXT_TURN_SECONDS = 15;

/**
 * Tries a step, and gives it up if it is still open at its deadline. A wait for our own work is not a failure of the
 * remote system, so such a step is given up after three days at the earliest. @throws the errors of our stores.
 */
export async function tryStep<Name extends string, Extra>(
  deps: TryStepDeps<Name>,
  turn: Turn,
  step: WriteStep<Name, Extra>,
): Promise<StepEnd> {
  const obstacle = obstacleOf(deps, turn, step);
  const end = obstacle
    ? { kind: 'open' as const, known: step.known, reason: obstacle.reason, seconds: obstacle.seconds }
    : await writeOnce({ ...deps, onAnswer: (answer) => turn.answers.push(answer) }, step);
  if (end.kind !== 'open') return end;
  deps.warn(`${deps.system} has not taken an item of a call yet`, { item: step.name, reason: end.reason });
  const now = deps.now();
  const deadlineSeconds = obstacle?.isOurs
    ? Math.max(step.deadlineSeconds, WRITING_DEADLINE_SECONDS)
    : step.deadlineSeconds;
  if (!isWritingOver(step.since, now, deadlineSeconds)) return end;
  const mark = givenUpMark(end.known, end.reason, now);
  return (await step.store(end.known, mark)) ? { kind: 'given_up', mark } : end;
}

const refusalReasons = { busy: 'the receiver is busy', open: 'the receiver does not answer' } as const;

/** @returns why a step is not tried in this turn, and when it will be. `isOurs`: it waits for our own work */
function obstacleOf(
  {
    stopwatch,
    latestStartMs,
    now,
    random,
  }: Pick<TryStepDeps<string>, 'stopwatch' | 'latestStartMs' | 'now' | 'random'>,
  { startedAt, refusal }: Turn,
  { since }: { since: string },
): { reason: string; seconds: number; isOurs: boolean } | undefined {
  if (refusal) {
    const { reason } = refusal;
    const seconds = waitSeconds(refusal, since, now(), random());
    return { reason: refusalReasons[reason], seconds, isOurs: reason === 'busy' };
  }
  if (stopwatch() - startedAt < latestStartMs) return undefined;
  return { reason: 'no time was left in this run', seconds: NEXT_TURN_SECONDS, isOurs: true };
}

export type EndTurnDeps = {
  calls: Pick<CallStore, 'endTurn' | 'completeWork'>;
  queue: QueueSender<CallWork>;
  /** Sends the call at an instant that is too far away for the queue. */
  sendAt?: (at: Date) => Promise<void>;
  now: () => Date;
};

/** EventBridge Scheduler rejects past instants: the queue's delay covers shorter waits. */
const SHORTEST_SCHEDULE_SECONDS = 60;

type Waiting = Extract<StepEnd, { kind: 'open' | 'not_due' }>;

/**
 * Completes the call's work if every step is settled; otherwise ends the turn and sends the message of the next turn.
 * If the worker dies before that message, the turn is overdue, and recover-calls sends the message.
 * @returns `not_due` if the remaining work is not due yet
 */
export async function endTurn(
  deps: EndTurnDeps,
  { kind, call: { call_id }, until }: Turn,
  ends: readonly StepEnd[],
): Promise<'done' | 'given_up' | 'waiting' | 'not_due'> {
  const waiting = ends.filter((end): end is Waiting => end.kind === 'open' || end.kind === 'not_due');
  if (waiting.length === 0) {
    await deps.calls.completeWork(kind, call_id);
    return ends.some((end) => end.kind === 'given_up') ? 'given_up' : 'done';
  }
  const now = deps.now();
  const waits = waiting.map((end) => {
    const dueAt = end.kind === 'open' ? secondsAfter(now, end.seconds) : end.dueAt;
    const seconds = Math.max(0, secondsBetween(now, dueAt));
    return { dueAt, seconds, isScheduled: end.kind === 'not_due' && seconds >= SHORTEST_SCHEDULE_SECONDS };
  });
  // Each message arrives a second after its step is due, so that no worker finds the step not yet due and drops it.
  for (const { dueAt } of waits.filter(({ isScheduled }) => isScheduled))
    await deps.sendAt?.(new Date(secondsAfter(dueAt, 1)));

  const reasons = new Set(waiting.flatMap((end) => (end.kind === 'open' ? [cutReason(end.reason)] : [])));
  const [at = secondsAfter(now, 0)] = waits.map(({ dueAt }) => dueAt).sort();
  const next = { at, ...(reasons.size > 0 && { error: [...reasons].join('; ') }) };
  const isOwn = await deps.calls.endTurn(kind, call_id, { until }, next);
  const wait = Math.min(...waits.filter(({ isScheduled }) => !isScheduled).map(({ seconds }) => seconds));
  // recover-calls handles longer waits.
  if (isOwn && wait < MAX_DELAY_SECONDS) await deps.queue.send({ call_id }, wait + 1);
  return reasons.size > 0 ? 'waiting' : 'not_due';
}
