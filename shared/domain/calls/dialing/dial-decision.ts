import type { Assistant } from '../../organizations/assistants/assistant.ts';
import { lackOfCredit } from '../../organizations/credit.ts';
import { whyNotAllowed } from '../../organizations/destination-rule.ts';
import type { Organization } from '../../organizations/organization.ts';
import { type Call, isWaiting } from '../call.ts';
import type { AlreadyCalled } from './day-claims.ts';
import type { SpendStop } from './spend-limit.ts';

/** Whether a dial message arrives at the right time for its call. `late`: past its `dial_by`. */
export type DialReadiness = 'ready' | 'not_waiting' | 'late' | 'no_slot' | 'too_early';

export function dialReadiness(
  call: Pick<Call, 'status' | 'dial_claimed_at' | 'platform_id' | 'dial_by' | 'dial_after' | 'reserved_at'>,
  now: Date,
): DialReadiness {
  if (!isWaiting(call)) return 'not_waiting';
  const at = now.toISOString();
  if (call.dial_by <= at) return 'late';
  if (!call.reserved_at) return 'no_slot';
  return call.dial_after > at ? 'too_early' : 'ready';
}

export type DialFacts = {
  phone: string;
  assistant: Assistant | undefined;
  org: Organization | undefined;
  isOnDoNotCallList: boolean;
  /** Whether dialing is paused for the stage. */
  isPaused: boolean;
};

export type DialDecision =
  | { kind: 'dial'; assistant: Assistant; org: Organization }
  /** The call gives back its slot and keeps waiting, until its `dial_by` at the latest. */
  | { kind: 'wait'; why: 'org_suspended' | 'paused' }
  | { kind: 'withdraw'; status: 'failed' | 'canceled'; reason: 'assistant_missing' | 'do_not_call' }
  /** @property message the country, and the role that can allow it */
  | { kind: 'cancel_destination'; message: string };

/** Decides whether a waiting call may be dialed, before the dial claim. */
export function decideDial({ phone, assistant, org, isOnDoNotCallList, isPaused }: DialFacts): DialDecision {
  if (!assistant) return { kind: 'withdraw', status: 'failed', reason: 'assistant_missing' };
  if (!org || org.suspended_at) return { kind: 'wait', why: 'org_suspended' };
  if (isOnDoNotCallList) return { kind: 'withdraw', status: 'canceled', reason: 'do_not_call' };
  const destinationRefusal = whyNotAllowed(org, phone);
  if (destinationRefusal) return { kind: 'cancel_destination', message: destinationRefusal.message };
  if (isPaused) return { kind: 'wait', why: 'paused' };
  return { kind: 'dial', assistant, org };
}

/** The consequence of a refused dial claim. */
export type RefusalStep =
  | { kind: 'nothing' }
  | { kind: 'cancel_as_called'; taken: AlreadyCalled }
  | { kind: 'cancel_destination'; message: string }
  | { kind: 'wait_for_spend'; stop: SpendStop }
  /** The organization's live calls hold credit that they may not use completely. */
  | { kind: 'wait_for_credit' }
  | { kind: 'cancel_without_credit'; message: string };

/** The credit that a refused claim needed, and the organization's, in units. */
type LackOfCredit = { required: number; available: number; held: number };

/**
 * Decides what follows from a refused dial claim.
 * @param refused.call whether the write to the call was refused. Checked first, because the day claims of a changed
 * call may belong to another attempt.
 * @param refused.taken which of its day claims another event holds.
 * @param refused.destinationRefusal why its number may no longer be called.
 * @param refused.spend the daily spend limit that it would exceed.
 * @param refused.lack the credit that was missing, if any.
 */
export function decideAfterRefusal(refused: {
  call: boolean;
  taken: AlreadyCalled | undefined;
  destinationRefusal?: { message: string } | undefined;
  spend?: SpendStop | undefined;
  lack?: LackOfCredit | undefined;
}): RefusalStep {
  const { call, taken, destinationRefusal, spend, lack } = refused;
  if (call) return { kind: 'nothing' };
  if (taken) return { kind: 'cancel_as_called', taken };
  if (destinationRefusal) return { kind: 'cancel_destination', message: destinationRefusal.message };
  if (spend) return { kind: 'wait_for_spend', stop: spend };
  if (!lack) return { kind: 'nothing' };
  if (lack.held > 0) return { kind: 'wait_for_credit' };
  return { kind: 'cancel_without_credit', message: lackOfCredit(lack.required, lack.available).message };
}

/**
 * Returns whether the platform has two live calls for one attempt.
 * @param call as it is stored after the platform's id of the attempt was refused.
 * @param attempt the claim, and the id that the dial request returned.
 */
export const isDoubleDial = (
  call: Pick<Call, 'dial_claimed_at' | 'platform_id'> | undefined,
  attempt: { claimedAt: string; platformId: string },
): boolean =>
  // If the claim was given back since, its attempt rang no phone.
  call?.dial_claimed_at === attempt.claimedAt && call.platform_id !== attempt.platformId;
