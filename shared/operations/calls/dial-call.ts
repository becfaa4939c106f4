import { hasManySlots } from '../../domain/calls/slots/slot-sharing.ts';
import type { DialWork } from '../../messages/call-work.ts';
import { type DialOnceDeps, dialOnce } from './dialing/dial-once.ts';
import { endIfQueued } from './platform/end-queued-call.ts';
import { hangUpAtPlatform } from './platform/hang-up-at-platform.ts';

/**
 * Processes a message on the dial queue: dials a call, or ends one at the platform.
 * @returns the result, for the log
 */
export async function dialCall(
  deps: DialOnceDeps & { stageSlots: number },
  { call_id, hang_up, end_if_queued, tries }: DialWork,
): Promise<string> {
  if (hang_up)
    return (await hangUpAtPlatform(deps, call_id, hang_up.platform_id, hang_up.tries)) ? 'hung_up' : 'not_hung_up';
  if (end_if_queued) return endIfQueued(deps, call_id, end_if_queued, tries);
  const result = await dialOnce(deps, call_id);
  // One call fewer is reserved now, so another call may get slots.
  if (hasManySlots(deps.stageSlots)) await deps.slotsQueue.send({});
  return result;
}
