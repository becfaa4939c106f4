import type { Call } from '../../../domain/calls/call.ts';
import type { SlotsWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotStore } from '../../../stores/calls/slots.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { givingBackSlots } from './slots.ts';

export type GiveBackReservationDeps = {
  calls: Pick<CallStore, 'givingBackReservation'>;
  slots: Pick<SlotStore, 'givingBack'>;
  slotsQueue: QueueSender<SlotsWork>;
  transact: Transact;
  now: () => Date;
};

/**
 * Gives back the slots of a call that is not dialed now. The call waits again, in its former place.
 * @param call as it was read, with its reservation. @returns false where it has changed since.
 */
export async function giveBackReservation(deps: GiveBackReservationDeps, call: Call): Promise<boolean> {
  const at = deps.now().toISOString();
  const result = await deps.transact<string>({
    call: deps.calls.givingBackReservation(call, at),
    ...givingBackSlots(deps.slots, call),
  });
  if (result.committed) await deps.slotsQueue.send({ org_id: call.org_id, at });
  return result.committed;
}
