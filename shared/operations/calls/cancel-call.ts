import { isWaiting } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import { type WithdrawCallDeps, withdrawCall } from './steps/withdraw-call.ts';

export type CancelCallDeps = WithdrawCallDeps & { calls: Pick<CallStore, 'get' | 'ending'> };

export type Cancelation = 'canceled' | 'call_not_found' | 'already_ended' | 'already_dialed';

/**
 * Cancels a scheduled or waiting call, and releases its credit. A call with a dial claim may be ringing: hang it up
 * instead.
 */
export async function cancelCall(deps: CancelCallDeps, callId: string): Promise<Cancelation> {
  const call = await deps.calls.get(callId);
  if (!call) return 'call_not_found';
  if (isTerminal(call.status)) return 'already_ended';
  if (call.status !== 'scheduled' && !isWaiting(call)) return 'already_dialed';
  return (await withdrawCall(deps, call, 'canceled', 'canceled_by_operator')) ? 'canceled' : 'already_dialed';
}
