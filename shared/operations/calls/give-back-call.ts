import type { Call } from '../../domain/calls/call.ts';
import { backoffSeconds } from '../../domain/calls/dial-timing.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { SlotStore } from '../../stores/calls/slots.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { givingBackSlots } from './end-call.ts';

export type GiveBackCallDeps = {
  calls: Pick<CallStore, 'givingBack'>;
  slots: Pick<SlotStore, 'givingBack'>;
  dialQueue: QueueSender<CallWork>;
  transact: Transact;
  now: () => Date;
  random: () => number;
};

/**
 * Gives a claimed call back after an attempt that rang nobody: claim and slots in one transaction, then the dial
 * message with the back-off. A death in between leaves the call waiting, and recover-calls sends it.
 * @param call as it was read, with its claim. @param attempt.absent the platform was proved not to have it.
 * @returns whether it waits again; false where it has changed since.
 */
export async function giveBackCall(
  deps: GiveBackCallDeps,
  call: Call & { dial_claimed_at: string },
  attempt: { platformId?: string; absent?: boolean } = {},
): Promise<boolean> {
  const now = deps.now();
  const delay = backoffSeconds(Math.max(1, call.attempts), deps.random());
  const result = await deps.transact<string>({
    call: deps.calls.givingBack(
      { callId: call.call_id, claimedAt: call.dial_claimed_at },
      {
        dialAfter: secondsAfter(now, delay),
        ...(attempt.platformId && { platformId: attempt.platformId }),
        absent: attempt.absent ?? false,
      },
      now.toISOString(),
    ),
    ...givingBackSlots(deps.slots, call),
  });
  // A second more than the back-off, so that the message never comes before its time and is dropped.
  if (result.committed) await deps.dialQueue.send({ call_id: call.call_id }, delay + 1);
  return result.committed;
}
