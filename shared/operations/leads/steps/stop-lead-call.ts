import { type Call, isWaiting } from '../../../domain/calls/call.ts';
import type { LeadEnd } from '../../../domain/calls/dialing/lead-end.ts';
import type { DialWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import type { ClaimedCall } from '../../calls/dialing/claim-dial.ts';
import { sendEndIfQueued } from '../../calls/platform/end-queued-call.ts';
import { type WithdrawCallDeps, withdrawCall } from '../../calls/steps/withdraw-call.ts';

export type StopLeadCallDeps = WithdrawCallDeps & {
  calls: Pick<CallStore, 'get' | 'ending'>;
  dialQueue: Pick<QueueSender<DialWork>, 'send'>;
};

/** A waiting call changes when it gets a slot, gives it back, is dialed, or is postponed. */
const MAX_TRIES = 5;

/**
 * Cancels a lead's call that waits for its dial. A dialed call that the platform has queued is ended there. A scheduled
 * call, and one that rings, stay as they are.
 * @param stop the outcome and the reason, for a call that waits
 * @param noteOn records on a dialed call, as it was read, why it must not ring. Returns false if it has changed since
 * @param mayStop whether to stop the call as it was read
 * @returns the result, for the log
 * @throws if workers keep changing the call; the queue delivers the message again
 */
export async function stopLeadCall(
  deps: StopLeadCallDeps,
  callId: string,
  stop: LeadEnd,
  noteOn: (call: ClaimedCall) => Promise<boolean>,
  mayStop: (call: Call) => boolean = () => true,
): Promise<string> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await deps.calls.get(callId);
    if (!call || !mayStop(call)) return 'not_stopped';
    if (isWaiting(call)) {
      if (await withdrawCall(deps, call, 'canceled', stop.outcome, stop)) return stop.outcome;
    } else if (!isDialed(call)) return 'not_waiting';
    else if (await noteOn(call)) {
      await sendEndIfQueued(deps, call);
      return 'ended_if_queued';
    }
  }
  throw new Error(`call ${callId} changed in each of ${MAX_TRIES} tries`);
}

const isDialed = (call: Call): call is ClaimedCall => call.status === 'dialing' && call.dial_claimed_at !== undefined;
