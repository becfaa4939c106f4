import type { Call } from '../../../domain/calls/call.ts';
import { backoffSeconds } from '../../../domain/calls/dialing/dial-timing.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { SlotsWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotStore } from '../../../stores/calls/slots/slots.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { givingBackSlots } from '../slots/slots.ts';

export type GiveBackDialClaimDeps = {
  calls: Pick<CallStore, 'givingBack'>;
  slots: Pick<SlotStore, 'givingBack'>;
  slotsQueue: QueueSender<SlotsWork>;
  transact: Transact;
  now: () => Date;
  random: () => number;
};

/**
 * Gives back the dial claim and the slots of an attempt that rang no phone, in one transaction. After its back-off the
 * call waits for a slot again. If the worker dies before it notifies hand-over-slots, recover-calls lists the
 * organization again.
 * @param call as read, with its claim. @param attempt.absent whether the platform proved not to have the call
 * @returns false if the call has changed since
 */
export async function giveBackDialClaim(
  deps: GiveBackDialClaimDeps,
  call: Call & { dial_claimed_at: string },
  attempt: { platformId?: string; absent?: boolean } = {},
): Promise<boolean> {
  const now = deps.now();
  const delay = backoffSeconds(Math.max(1, call.attempts), deps.random());
  const dialAfter = secondsAfter(now, delay);
  const result = await deps.transact<string>({
    call: deps.calls.givingBack(
      call,
      {
        dialAfter,
        ...(attempt.platformId && { platformId: attempt.platformId }),
        absent: attempt.absent ?? false,
      },
      now.toISOString(),
    ),
    ...givingBackSlots(deps.slots, call),
  });
  // One second more than the back-off: a hand-over before `dial_after` does not see the call.
  if (result.committed) await deps.slotsQueue.send({ org_id: call.org_id, at: dialAfter }, delay + 1);
  return result.committed;
}
