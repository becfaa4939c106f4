import { secondsAfter } from '../../../domain/time/instants.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { type GiveBackSlotsDeps, givingBackSlots } from './giving-back-slots.ts';

export type SetAsideDeps = GiveBackSlotsDeps & {
  calls: Pick<CallStore, 'getPlace' | 'settingAside'>;
};

const ASIDE_SECONDS = 10 * 60;

/**
 * Gives back the slots of a waiting call that cannot be read, and moves it behind others for ten minutes. Otherwise it
 * would hold its slots, or block the calls behind it, until it is repaired.
 * @returns false if the call can be read, does not wait, or has changed since it was read
 */
export async function setAsideUnreadable(deps: SetAsideDeps, callId: string): Promise<boolean> {
  const call = await deps.calls.getPlace(callId);
  if (!call || call.isReadable || (call.reserved_at === undefined && call.waiting_turn === undefined)) return false;
  const now = deps.now();
  const at = now.toISOString();
  const { committed } = await deps.transact<string>({
    call: deps.calls.settingAside(call, at, secondsAfter(now, ASIDE_SECONDS)),
    ...givingBackSlots(deps.slots, call),
  });
  if (committed && call.slots) await deps.slotsQueue.send({ org_id: call.org_id, at });
  return committed;
}

/**
 * Reads a call, and sets it aside if it cannot be read.
 * @throws the error of the read
 */
export const readOrSetAside = <T>(deps: SetAsideDeps, callId: string, read: () => Promise<T>): Promise<T> =>
  readOr(read, () => setAsideUnreadable(deps, callId));

export async function readOr<T>(read: () => Promise<T>, otherwise: () => Promise<unknown>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // A failure here must not hide the error. recover-calls tries again.
    await otherwise().catch(() => undefined);
    throw error;
  }
}
