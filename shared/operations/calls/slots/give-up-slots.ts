import { isSurelyLost } from '../../../domain/calls/recovery/unreadable-call.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { type GiveBackSlotsDeps, givingBackSlots } from './giving-back-slots.ts';
import { readOr } from './set-aside.ts';

export type GiveUpSlotsDeps = GiveBackSlotsDeps & {
  calls: Pick<CallStore, 'getUnreadableLive' | 'givingUpSlots'>;
  info: (message: string, facts: { call_ids: readonly string[] }) => void;
};

/**
 * Gives back the slots of a dialed call that cannot be read, once its deadline has passed: otherwise it would hold them
 * until it is repaired. Everything else stays as it is, including its credit, because only the whole call says what it
 * may cost.
 */
async function giveUpSlots(deps: GiveUpSlotsDeps, callId: string): Promise<void> {
  const call = await deps.calls.getUnreadableLive(callId);
  const now = deps.now();
  if (!call || !isSurelyLost(call, now)) return;
  const { committed } = await deps.transact<string>({
    call: deps.calls.givingUpSlots(call),
    ...givingBackSlots(deps.slots, call),
  });
  if (!committed) return;
  deps.info('a dialed call that cannot be read gave back its slots', { call_ids: [callId] });
  await deps.slotsQueue.send({ org_id: call.org_id, type: 'call.given_back', at: now.toISOString() });
}

/**
 * Reads a dialed call. If it cannot be read and has passed its deadline, gives back its slots.
 * @throws the error of the read
 */
export const readOrGiveUpSlots = <T>(deps: GiveUpSlotsDeps, callId: string, read: () => Promise<T>): Promise<T> =>
  readOr(read, () => giveUpSlots(deps, callId));
