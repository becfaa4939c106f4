import type { Call } from '../../../domain/calls/call.ts';
import { type AlreadyCalled, alreadyCalledReasons } from '../../../domain/calls/dialing/day-claims.ts';
import { type WithdrawCallDeps, withdrawCall } from '../steps/withdraw-call.ts';

/**
 * Cancels a lead's call because another event holds a day claim that it needs, with an Activity entry in the same
 * transaction.
 * @returns the result, for the log.
 */
export async function cancelAsCalled(deps: WithdrawCallDeps, call: Call, outcome: AlreadyCalled): Promise<string> {
  const told = { outcome, reason: alreadyCalledReasons[outcome] };
  return (await withdrawCall(deps, call, 'canceled', outcome, told)) ? outcome : 'not_waiting';
}
