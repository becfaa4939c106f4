import type { Call } from '../../../domain/calls/call.ts';
import type { SlotStore } from '../../../stores/calls/slots/slots.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';

/** Gives back exactly the slots that the call holds, under their stored scopes. */
export const givingBackSlots = (
  slots: Pick<SlotStore, 'givingBack'>,
  call: Pick<Call, 'slots'>,
): Record<string, Write> =>
  Object.fromEntries((call.slots ?? []).map((scope) => [`slot ${scope}`, slots.givingBack(scope)]));
