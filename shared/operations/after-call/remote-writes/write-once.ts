import type { ReceiverAnswer } from '../../../domain/after-call/receiver.ts';
import { decideAfterLookup, retrySeconds } from '../../../domain/after-call/remote-writes/remote-writing.ts';
import {
  type LookupOutcome,
  type NoEffect,
  type OpenOutcome,
  type RequestOutcome,
  receiverAnswerIn,
  type SettlingOutcome,
  settledMark,
} from '../../../domain/after-call/remote-writes/write-outcome.ts';
import type { RemoteWrite } from '../../../domain/calls/call.ts';

/** A request that may be sent. `extra` is stored with the mark before the request. */
export type Ready<Extra> = { kind: 'ready'; extra?: Extra; send: () => Promise<RequestOutcome<Extra>> };

/** A record that a remote system gets at most once per call, although the system has no idempotency key. */
export type WriteStep<Name extends string, Extra = never> = {
  name: Name;
  /** The mark that the call stores. */
  known: RemoteWrite | undefined;
  /** ISO 8601, when the record could first be written. */
  since: string;
  /** The step is given up this long after `since`. */
  deadlineSeconds: number;
  /** Gathers the request's data. Changes nothing at the remote system. */
  prepare: () => Promise<Ready<Extra> | SettlingOutcome<Extra> | NoEffect>;
  /** Absent if the request is idempotent. */
  lookUp?: () => Promise<LookupOutcome<Extra>>;
  /** Stores the mark. @returns false if the mark has changed since it was read, or another call owns the record. */
  store: (before: RemoteWrite | undefined, after: RemoteWrite | undefined, extra?: Extra) => Promise<boolean>;
};

/** The result of trying a step. */
export type StepEnd =
  | { kind: 'settled'; mark: RemoteWrite }
  /** Settled because its deadline has passed. */
  | { kind: 'given_up'; mark: RemoteWrite }
  /** To be tried again in `seconds`. */
  | { kind: 'open'; known: RemoteWrite | undefined; reason: string; seconds: number }
  /** Nothing is wrong; the step must not be tried before this instant. */
  | { kind: 'not_due'; dueAt: string };

export type WriteOnceDeps<Name extends string> = {
  /** The name of the remote system, for logs. */
  system: string;
  now: () => Date;
  /** 0 to 1. */
  random: () => number;
  warn: (message: string, facts: { item: Name; reason: string }) => void;
  /** Receives the remote system's answer, or the information that it sent none. */
  onAnswer: (answer: ReceiverAnswer) => void;
};

type Open = Extract<StepEnd, { kind: 'open' }>;
type Tried = Extract<StepEnd, { kind: 'settled' | 'open' }>;

/**
 * Advances a step as far as possible now. A mark is stored before the request and after it; a worker that finds the
 * first mark looks the record up before it sends the request again (docs/call-lifecycle.md, "After the call").
 * @throws the errors of our stores; the queue then delivers the message again.
 */
export async function writeOnce<Name extends string, Extra>(
  deps: WriteOnceDeps<Name>,
  step: WriteStep<Name, Extra>,
): Promise<Tried> {
  const { known } = step;
  if (known && known.state !== 'asked') return { kind: 'settled', mark: known };
  if (!known || !step.lookUp) return request(deps, step, { known, isInDoubt: known !== undefined });

  const outcome = await step.lookUp();
  deps.onAnswer(receiverAnswerIn(outcome));
  const decision = decideAfterLookup(known, outcome, deps.now());
  switch (decision.kind) {
    case 'settle':
      warnOfRefusal(deps, step, outcome);
      return settle(deps, step, known, decision.mark, 'extra' in outcome ? outcome.extra : undefined);
    case 'request':
      return request(deps, step, { known, isInDoubt: false });
    case 'look_again': {
      const { mark, seconds } = decision;
      if (!known.absent_since && !(await step.store(known, mark))) return lostRace(deps, step, known);
      return { kind: 'open', known: mark, reason: 'a request without an answer is looked up', seconds };
    }
    case 'unavailable':
    case 'reconnect_needed':
      return open(deps, step, known, decision);
  }
}

/** Sends the request between two marks. @param isInDoubt whether an earlier request may have written the record. */
async function request<Name extends string, Extra>(
  deps: WriteOnceDeps<Name>,
  step: WriteStep<Name, Extra>,
  { known, isInDoubt }: { known: RemoteWrite | undefined; isInDoubt: boolean },
): Promise<Tried> {
  const prepared = await step.prepare();
  if (prepared.kind !== 'ready') deps.onAnswer(receiverAnswerIn(prepared));
  const at = deps.now().toISOString();
  if (prepared.kind === 'unavailable' || prepared.kind === 'reconnect_needed') return open(deps, step, known, prepared);
  if (prepared.kind !== 'ready') {
    warnOfRefusal(deps, step, prepared);
    const extra = 'extra' in prepared ? prepared.extra : undefined;
    return settle(deps, step, known, settledMark(prepared, { at, isInDoubt }), extra);
  }
  const asked: RemoteWrite = { state: 'asked', at };
  if (!(await step.store(known, asked, prepared.extra))) return lostRace(deps, step, known);

  const outcome = await prepared.send();
  deps.onAnswer(receiverAnswerIn(outcome));
  switch (outcome.kind) {
    case 'written':
      return settle(deps, step, asked, settledMark(outcome, { at, isInDoubt: false }), outcome.extra);
    case 'refused':
      warnOfRefusal(deps, step, outcome);
      return settle(deps, step, asked, settledMark(outcome, { at, isInDoubt: false }));
    case 'unknown':
      return open(deps, step, asked, outcome);
    case 'unavailable':
    case 'reconnect_needed':
      await step.store(asked, undefined);
      return open(deps, step, undefined, outcome);
  }
}

async function settle<Name extends string, Extra>(
  deps: WriteOnceDeps<Name>,
  step: WriteStep<Name, Extra>,
  before: RemoteWrite | undefined,
  mark: RemoteWrite,
  extra?: Extra,
): Promise<Tried> {
  return (await step.store(before, mark, extra)) ? { kind: 'settled', mark } : lostRace(deps, step, before);
}

function warnOfRefusal<Name extends string>(
  { system, warn }: WriteOnceDeps<Name>,
  { name }: { name: Name },
  outcome: SettlingOutcome<unknown> | LookupOutcome<unknown>,
): void {
  if (outcome.kind === 'refused') warn(`${system} refuses an item of a call`, { item: name, reason: outcome.code });
}

const lostRace = <Name extends string>(
  deps: WriteOnceDeps<Name>,
  step: { since: string },
  known: RemoteWrite | undefined,
): Open => open(deps, step, known, { kind: 'unavailable', reason: 'another worker writes it' });

const open = <Name extends string>(
  { now, random }: WriteOnceDeps<Name>,
  { since }: { since: string },
  known: RemoteWrite | undefined,
  outcome: OpenOutcome,
): Open => ({
  kind: 'open',
  known,
  reason: outcome.reason,
  seconds: retrySeconds(known?.at ?? since, now(), random(), outcome),
});
