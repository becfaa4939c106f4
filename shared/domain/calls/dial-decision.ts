import type { Assistant } from '../organizations/assistant.ts';
import type { Organization } from '../organizations/organization.ts';
import { type Call, isWaiting } from './call.ts';
import type { AlreadyCalled } from './day-claims.ts';

/** Whether a dial message comes at the right time for its call. `late`: past its `dial_by`. */
export type DialReadiness = 'ready' | 'not_waiting' | 'late' | 'too_early';

export function dialReadiness(
  call: Pick<Call, 'status' | 'dial_claimed_at' | 'platform_id' | 'dial_by' | 'dial_after'>,
  now: Date,
): DialReadiness {
  if (!isWaiting(call)) return 'not_waiting';
  const at = now.toISOString();
  if (call.dial_by <= at) return 'late';
  return call.dial_after > at ? 'too_early' : 'ready';
}

export type DialFacts = {
  assistant: Assistant | undefined;
  org: Organization | undefined;
  isOnDoNotCallList: boolean;
};

export type DialDecision =
  | { do: 'dial'; assistant: Assistant; org: Organization }
  /** The call keeps waiting, until its `dial_by` at the latest. */
  | { do: 'wait'; why: 'org_suspended' }
  | { do: 'withdraw'; status: 'failed' | 'canceled'; reason: 'assistant_missing' | 'do_not_call' };

/** Decides whether a waiting call may be dialed, by what is known before the dial claim. */
export function decideDial({ assistant, org, isOnDoNotCallList }: DialFacts): DialDecision {
  if (!assistant) return { do: 'withdraw', status: 'failed', reason: 'assistant_missing' };
  if (!org || org.suspended_at) return { do: 'wait', why: 'org_suspended' };
  if (isOnDoNotCallList) return { do: 'withdraw', status: 'canceled', reason: 'do_not_call' };
  return { do: 'dial', assistant, org };
}

export type ClaimRefusal = 'not_waiting' | 'no_slot' | AlreadyCalled;

/**
 * Explains a refused dial claim. A call that has changed comes first: its day claims may be those of another attempt.
 * @param refused.call whether the write to the call was refused. @param refused.taken what another event has called.
 */
export function explainRefusal(refused: { call: boolean; taken: AlreadyCalled | undefined }): ClaimRefusal {
  if (refused.call) return 'not_waiting';
  return refused.taken ?? 'no_slot';
}

/**
 * Whether the platform has two live calls for one attempt.
 * @param call as it is stored after the platform's id of the attempt was refused.
 * @param attempt the claim, and the id that the dial request returned.
 */
export const isDoubleDial = (
  call: Pick<Call, 'dial_claimed_at' | 'platform_id'> | undefined,
  attempt: { claimedAt: string; platformId: string },
): boolean =>
  // A claim that was given back since belongs to an attempt that rang no phone.
  call?.dial_claimed_at === attempt.claimedAt && call.platform_id !== attempt.platformId;
