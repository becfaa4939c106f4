import { personWaitSeconds, writingWaitSeconds } from '../../domain/after-call/remote-writing.ts';
import { LOOKUPS_APART_SECONDS } from '../../domain/calls/absence.ts';
import type { RemoteWrite } from '../../domain/calls/call.ts';
import { AccessUnavailable, ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import { secondsBetween } from '../../domain/time/instants.ts';

/** What came of asking another system to write something. */
type WriteOutcome =
  | { kind: 'written'; id: string }
  /** For good: a repeat would be refused as well. `code` in the vendor's words. */
  | { kind: 'refused'; code: string }
  /** Nothing was written. */
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number }
  /** It may have been written. */
  | { kind: 'unknown'; reason: string };

/** What came of looking for it. `absent`: everything was looked through. */
export type LookUp =
  | { kind: 'found'; id: string }
  | { kind: 'absent' }
  | { kind: 'refused'; code: string }
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number };

/** What an item needs: a request, or none, because it is settled already. */
export type Prepared =
  | { kind: 'request'; send: () => Promise<WriteOutcome> }
  | ({ kind: 'settled' } & Omit<RemoteWrite, 'at'>);

/** Something that another system is told of a call at most once, although nobody there knows what it was told already. */
export type OnceItem<Name extends string> = {
  name: Name;
  /** As the call has it. */
  known: RemoteWrite | undefined;
  /** Since when it could be written, ISO 8601. */
  since: string;
  prepare: () => Promise<Prepared>;
  /** Absent: asking twice is the same as asking once, so that nothing has to be looked for. */
  find?: () => Promise<LookUp>;
  /** Changes what the call has of it. @returns false where that has changed since, or the item is another call's. */
  change: (before: RemoteWrite | undefined, after: RemoteWrite | undefined) => Promise<boolean>;
};

/** An item that is not settled yet: what is known of it, why, and in how many seconds it is tried again. */
export type Waiting<Name extends string> = {
  kind: 'waiting';
  item: OnceItem<Name>;
  known: RemoteWrite | undefined;
  reason: string;
  seconds: number;
};

/** How a try ended. */
export type Tried<Name extends string> = { kind: 'settled'; mark: RemoteWrite } | Waiting<Name>;

export type WriteOnceDeps<Name extends string> = {
  /** Whom it is told. */
  system: string;
  now: () => Date;
  random: () => number;
  warn: (message: string, facts: { item: Name; reason: string }) => void;
};

/** It cannot be said at the moment what is to be written: a repeat may succeed. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  readonly retryAfterSeconds: number | undefined;
  constructor(reason: string, retryAfterSeconds?: number) {
    super(reason);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Brings one item as far as it goes now: it is marked before the request and after it, and whoever finds the first mark
 * looks for what was written before anything is asked again (docs/call-lifecycle.md, "After the call").
 * @throws what our own stores throw; then the queue repeats it.
 */
export async function writeOnce<Name extends string>(
  deps: WriteOnceDeps<Name>,
  item: OnceItem<Name>,
): Promise<Tried<Name>> {
  const { known } = item;
  if (known && known.state !== 'asked') return { kind: 'settled', mark: known };
  try {
    return known && item.find ? await lookUp(deps, item, known, item.find) : await ask(deps, item, known);
  } catch (error) {
    if (error instanceof ReconnectNeeded)
      return { ...waitFor(deps, item, known, error.message), seconds: personWaitSeconds(deps.random()) };
    if (error instanceof NotReady) return waitFor(deps, item, known, error.message, error.retryAfterSeconds);
    if (error instanceof AccessUnavailable) return waitFor(deps, item, known, error.message);
    throw error;
  }
}

/** Nobody knows what came of the request: only two complete looks prove that nothing did. */
async function lookUp<Name extends string>(
  deps: WriteOnceDeps<Name>,
  item: OnceItem<Name>,
  known: RemoteWrite,
  find: () => Promise<LookUp>,
): Promise<Tried<Name>> {
  const found = await find();
  const now = deps.now();
  switch (found.kind) {
    case 'found':
      return settle(deps, item, known, { state: 'written', at: known.at, id: found.id });
    case 'refused':
      deps.warn(`${deps.system} refuses to show an item of a call`, { item: item.name, reason: found.code });
      return settle(deps, item, known, { state: 'unconfirmed', at: known.at, error: found.code });
    case 'unavailable':
      return waitFor(deps, item, known, found.reason, found.retryAfterSeconds);
    case 'absent': {
      const absent_since = known.absent_since ?? now.toISOString();
      const left = LOOKUPS_APART_SECONDS - secondsBetween(absent_since, now);
      if (left <= 0) return ask(deps, item, known);
      const after = { ...known, absent_since };
      if (!known.absent_since) await item.change(known, after);
      return { ...waitFor(deps, item, after, 'a request without an answer is looked for'), seconds: left };
    }
  }
}

/** Writes the item. Between the mark and its result lies the request: whoever finds the mark looks for it first. */
async function ask<Name extends string>(
  deps: WriteOnceDeps<Name>,
  item: OnceItem<Name>,
  known: RemoteWrite | undefined,
): Promise<Tried<Name>> {
  const { kind, ...prepared } = await item.prepare();
  const at = deps.now().toISOString();
  if (!('send' in prepared)) return settle(deps, item, known, { ...prepared, at });
  const asked: RemoteWrite = { state: 'asked', at };
  if (!(await item.change(known, asked))) return overtaken(deps, item, known);

  const outcome = await prepared.send().catch(notDone);
  switch (outcome.kind) {
    case 'written':
      return settle(deps, item, asked, { state: 'written', at, id: outcome.id });
    case 'refused':
      deps.warn(`${deps.system} refuses an item of a call`, { item: item.name, reason: outcome.code });
      return settle(deps, item, asked, { state: 'failed', at, error: outcome.code });
    case 'unknown':
      return waitFor(deps, item, asked, outcome.reason);
    case 'unavailable':
      await item.change(asked, undefined);
      return waitFor(deps, item, undefined, outcome.reason, outcome.retryAfterSeconds);
  }
}

/** Without an access token nothing was sent, or nothing was done. */
function notDone(error: Error): WriteOutcome {
  if (error instanceof ReconnectNeeded || error instanceof AccessUnavailable)
    return { kind: 'unavailable', reason: error.message };
  throw error;
}

async function settle<Name extends string>(
  deps: WriteOnceDeps<Name>,
  item: OnceItem<Name>,
  before: RemoteWrite | undefined,
  mark: RemoteWrite,
): Promise<Tried<Name>> {
  return (await item.change(before, mark)) ? { kind: 'settled', mark } : overtaken(deps, item, before);
}

const overtaken = <Name extends string>(
  deps: WriteOnceDeps<Name>,
  item: OnceItem<Name>,
  known: RemoteWrite | undefined,
): Waiting<Name> => waitFor(deps, item, known, 'another worker has it');

/** @param retryAfterSeconds how long the other system wants to be left alone. */
export const waitFor = <Name extends string>(
  { now, random }: WriteOnceDeps<Name>,
  item: OnceItem<Name>,
  known: RemoteWrite | undefined,
  reason: string,
  retryAfterSeconds = 0,
): Waiting<Name> => ({
  kind: 'waiting',
  item,
  known,
  reason,
  seconds: Math.max(retryAfterSeconds, writingWaitSeconds(known?.at ?? item.since, now(), random())),
});

/** Its time is over: it may have been written, or it was not. */
export async function giveUp<Name extends string>(
  { now }: WriteOnceDeps<Name>,
  { item, known, reason }: Waiting<Name>,
): Promise<void> {
  const at = known?.at ?? now().toISOString();
  await item.change(known, { state: known ? 'unconfirmed' : 'failed', at, error: reason });
}

/** @returns when the first of them is tried again, and why they wait. */
export function nextTry(waiting: readonly Waiting<string>[]): { seconds: number; error: string } {
  const reasons = waiting.map(({ reason }) => reason).filter((reason) => reason !== '');
  return { seconds: Math.min(...waiting.map(({ seconds }) => seconds)), error: [...new Set(reasons)].join('; ') };
}

/** Longer waits are left to recover-calls: a queue holds a message for 15 minutes at most. */
export const LONGEST_QUEUE_WAIT_SECONDS = 15 * 60;
/** An item that there was no time for is not late by any fault of its own. */
export const NEXT_TURN_SECONDS = 15;
