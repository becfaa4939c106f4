import { isWaiting } from '../domain/call.ts';
import { isTerminal } from '../domain/call-status.ts';
import type { CallStore } from '../stores/calls.ts';
import { type EndCallDeps, endCall, givenUp } from './end-call.ts';

export type CancelCallDeps = EndCallDeps & { calls: Pick<CallStore, 'get' | 'ending'> };

export type Cancelation = 'canceled' | 'call_not_found' | 'already_ended' | 'already_dialed';

/** Cancels a call that still waits for its dial; its credit comes back. One that is claimed may be ringing: hang up. */
export async function cancelCall(deps: CancelCallDeps, callId: string): Promise<Cancelation> {
  const call = await deps.calls.get(callId);
  if (!call) return 'call_not_found';
  if (isTerminal(call.status)) return 'already_ended';
  if (!isWaiting(call)) return 'already_dialed';
  return (await endCall(deps, call, givenUp('canceled', 'canceled_by_operator', deps.now())))
    ? 'canceled'
    : 'already_dialed';
}
