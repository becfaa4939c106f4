import type { Call } from '../../../domain/calls/call.ts';
import { type AlreadyCalled, alreadyCalledReasons } from '../../../domain/calls/dialing/day-claims.ts';
import { type FollowPhoneDeps, followPhone } from '../steps/follow-phone.ts';
import { leadEndEntry } from '../steps/lead-end.ts';
import { type WithdrawCallDeps, withdrawCall } from '../steps/withdraw-call.ts';

export type CancelAsCalledDeps = WithdrawCallDeps & FollowPhoneDeps;

/**
 * Cancels a lead's call because another event holds a day claim that it needs, with an Activity entry in the same
 * transaction. If that is the claim on the phone, the lead follows the call of that event.
 * @returns the result, for the log.
 */
export async function cancelAsCalled(
  deps: CancelAsCalledDeps,
  call: Call,
  { outcome, behind }: AlreadyCalled,
): Promise<string> {
  const end = { outcome, reason: alreadyCalledReasons[outcome] };
  const followed = await followPhone(deps, call, leadEndEntry(call, end, deps.now()), behind);
  return (await withdrawCall(deps, call, 'canceled', outcome, { ...end, ...followed })) ? outcome : 'not_waiting';
}
