import { LOOKUPS_APART_SECONDS } from '../../calls/absence.ts';
import type { RemoteWrite } from '../../calls/call.ts';
import { cutReason } from '../../text/cut-text.ts';
import { secondsBetween } from '../../time/instants.ts';
import { type LookupOutcome, type NoEffect, type OpenOutcome, settledMark } from './write-outcome.ts';

/**
 * Longer than the longest outage that ends without action: a vendor renews an account's API credits within 24 hours.
 */
export const WRITING_DEADLINE_SECONDS = 72 * 60 * 60;
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 60 * 60;

/** Returns whether the service gives a write up. @param since ISO 8601, when the record could first be written */
export const isWritingOver = (since: string, now: Date, deadlineSeconds = WRITING_DEADLINE_SECONDS): boolean =>
  secondsBetween(since, now) >= deadlineSeconds;

/**
 * Computes the back-off of a write: half of the time since `since`, from 15 seconds to an hour, less up to a quarter as
 * jitter; never shorter than the remote system demands. If only a person can help, about an hour.
 * @param since ISO 8601, when the write was first tried. @param random 0 to 1.
 * @returns whole seconds, unless the remote system demands otherwise.
 */
export function retrySeconds(since: string, now: Date, random: number, outcome: OpenOutcome): number {
  const isForPerson = outcome.kind === 'reconnect_needed';
  const backOff = isForPerson ? LONGEST_WAIT_SECONDS : Math.max(FIRST_WAIT_SECONDS, secondsBetween(since, now) / 2);
  const demanded = 'retryAfterSeconds' in outcome ? (outcome.retryAfterSeconds ?? 0) : 0;
  return Math.max(demanded, Math.ceil(Math.min(LONGEST_WAIT_SECONDS, backOff) * (1 - random / 4)));
}

/** The consequence of the lookup of a record whose request has an unknown outcome. */
export type LookupDecision =
  | { kind: 'settle'; mark: RemoteWrite }
  /** Two complete lookups, far enough apart, did not find the record: it may be requested again. */
  | { kind: 'request' }
  /** One complete lookup did not find the record. The mark stores its time; the next lookup is due in `seconds`. */
  | { kind: 'look_again'; mark: RemoteWrite; seconds: number }
  | NoEffect;

/** Decides what follows from a lookup. @param asked the mark of the request. */
export function decideAfterLookup(asked: RemoteWrite, outcome: LookupOutcome<unknown>, now: Date): LookupDecision {
  switch (outcome.kind) {
    case 'unavailable':
    case 'reconnect_needed':
      return outcome;
    case 'absent': {
      const absent_since = asked.absent_since ?? now.toISOString();
      const seconds = LOOKUPS_APART_SECONDS - secondsBetween(absent_since, now);
      return seconds > 0 ? { kind: 'look_again', mark: { ...asked, absent_since }, seconds } : { kind: 'request' };
    }
    default:
      return { kind: 'settle', mark: settledMark(outcome, { at: asked.at, isInDoubt: true }) };
  }
}

/** Returns the mark of a write that is given up: if a request was sent, the record may have been written. */
export const givenUpMark = (asked: RemoteWrite | undefined, reason: string, now: Date): RemoteWrite => {
  const error = cutReason(reason);
  return asked ? { state: 'unconfirmed', at: asked.at, error } : { state: 'failed', at: now.toISOString(), error };
};
