import type { Call } from '../../../domain/calls/call.ts';
import type { SlotStore } from '../../../stores/calls/slots/slots.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';

/** Releases exactly the slots that the call's dial claim took. */
export const givingBackSlots = (
  slots: Pick<SlotStore, 'givingBack'>,
  call: Pick<Call, 'slots'>,
): Record<string, Write> =>
  Object.fromEntries((call.slots ?? []).map((scope) => [`slot ${scope}`, slots.givingBack(scope)]));
