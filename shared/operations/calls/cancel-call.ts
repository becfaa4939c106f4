import { isWaiting } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import { type GiveUpCallDeps, giveUpCall } from './end-call.ts';

export type CancelCallDeps = GiveUpCallDeps & { calls: Pick<CallStore, 'get' | 'ending'> };

export type Cancelation = 'canceled' | 'call_not_found' | 'already_ended' | 'already_dialed';

/** Cancels a call that still waits for its window or its dial; its credit comes back. One that is claimed may be ringing: hang up. */
export async function cancelCall(deps: CancelCallDeps, callId: string): Promise<Cancelation> {
  const call = await deps.calls.get(callId);
  if (!call) return 'call_not_found';
  if (isTerminal(call.status)) return 'already_ended';
  if (call.status !== 'scheduled' && !isWaiting(call)) return 'already_dialed';
  return (await giveUpCall(deps, call, 'canceled', 'canceled_by_operator')) ? 'canceled' : 'already_dialed';
}
