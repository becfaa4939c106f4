import type { Call } from '../../../domain/calls/call.ts';
import type { SlotsWork } from '../../../messages/call-work.ts';
import type { SlotStore } from '../../../stores/calls/slots/slots.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { QueueSender } from '../../../stores/queue.ts';

/** Dependencies that give back the slots of a call, and notify hand-over-slots. */
export type GiveBackSlotsDeps = {
  slots: Pick<SlotStore, 'givingBack'>;
  slotsQueue: QueueSender<SlotsWork>;
  transact: Transact;
  now: () => Date;
};

/** Gives back exactly the slots that the call holds, under their stored scopes. */
export const givingBackSlots = (
  slots: Pick<SlotStore, 'givingBack'>,
  call: Pick<Call, 'slots'>,
): Record<string, Write> =>
  Object.fromEntries((call.slots ?? []).map((scope) => [`slot ${scope}`, slots.givingBack(scope)]));
