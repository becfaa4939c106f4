import type { RemoteWrite } from '../../calls/call.ts';
import type { ReconnectNeeded } from '../../connections/access/token-result.ts';
import { cutReason } from '../../text/cut-text.ts';
import type { ReceiverAnswer, ReceiverOutcome } from '../receiver.ts';

/** Nothing was written, and a repeat may succeed. */
export type Unavailable = {
  kind: 'unavailable';
  reason: string;
  /** The least wait that the remote system demands. */
  retryAfterSeconds?: number;
  /** The obstacle is the service's own, and says nothing about the remote system. */
  isOurs?: true;
  /** The obstacle is the record's, such as a lock. The remote system has answered. */
  isOfRecord?: true;
};

/**
 * The result of a part of a write to a remote system: its preparation, its request or its lookup. `Extra` is stored in
 * the same transaction as the mark that follows from the outcome.
 */
type WriteOutcome<Extra = never> =
  /** The request created the record. */
  | { kind: 'written'; id: string; extra?: Extra }
  /** A lookup found the record. */
  | { kind: 'found'; id: string; extra?: Extra }
  /** A complete lookup did not find the record. */
  | { kind: 'absent' }
  /** The call needs no such record. */
  | { kind: 'not_wanted' }
  /** The service has no data to send, and never will: no recording, another organization. */
  | { kind: 'impossible'; reason: string }
  /** The remote system refuses, and would refuse a repeat. `code` is the vendor's. */
  | { kind: 'refused'; code: string }
  | Unavailable
  /** Nothing was written, and no repeat can succeed until a person reconnects. */
  | ReconnectNeeded
  /** The record may have been written. */
  | { kind: 'unknown'; reason: string; retryAfterSeconds?: number };

type Only<Extra, Kind extends WriteOutcome['kind']> = Extract<WriteOutcome<Extra>, { kind: Kind }>;

/** The outcomes that settle a write for good. */
export type SettlingOutcome<Extra = never> = Only<Extra, 'written' | 'found' | 'not_wanted' | 'impossible' | 'refused'>;
/** The outcomes of a part that had no effect and is tried again. */
export type NoEffect = Only<never, 'unavailable' | 'reconnect_needed'>;
/** The outcomes that leave a write open. */
export type OpenOutcome = NoEffect | Only<never, 'unknown'>;
export type RequestOutcome<Extra = never> = Only<Extra, 'written' | 'refused'> | OpenOutcome;
export type LookupOutcome<Extra = never> = Only<Extra, 'found' | 'absent' | 'impossible' | 'refused'> | NoEffect;

/**
 * Returns the mark that stores an outcome.
 * @param at ISO 8601. @param isInDoubt whether an earlier request may have written the record.
 */
export function settledMark(
  outcome: SettlingOutcome<unknown>,
  { at, isInDoubt }: { at: string; isInDoubt: boolean },
): RemoteWrite {
  const failed = isInDoubt ? 'unconfirmed' : 'failed';
  switch (outcome.kind) {
    case 'written':
    case 'found':
      return { state: 'written', at, id: outcome.id };
    case 'not_wanted':
      return { state: 'none', at };
    case 'impossible':
      return { state: failed, at, error: cutReason(outcome.reason) };
    case 'refused':
      return { state: failed, at, error: cutReason(outcome.code) };
  }
}

type AnyOutcome = SettlingOutcome<unknown> | OpenOutcome | LookupOutcome<unknown>;

/** Returns what an outcome says about the remote system, and the wait that the system demands. */
export const receiverAnswerIn = (outcome: AnyOutcome): ReceiverAnswer => ({
  outcome: receiverOutcomeOf(outcome),
  ...('retryAfterSeconds' in outcome && { retryAfterSeconds: outcome.retryAfterSeconds }),
});

/** Returns what an outcome says about the remote system. A refusal is an answer. */
function receiverOutcomeOf(outcome: AnyOutcome): ReceiverOutcome {
  switch (outcome.kind) {
    case 'written':
    case 'found':
    case 'absent':
    case 'refused':
      return 'answered';
    case 'unknown':
      return 'unanswered';
    case 'unavailable':
      if (outcome.isOfRecord) return 'answered';
      return outcome.isOurs ? 'unused' : 'unanswered';
    case 'not_wanted':
    case 'impossible':
    case 'reconnect_needed':
      return 'unused';
  }
}
