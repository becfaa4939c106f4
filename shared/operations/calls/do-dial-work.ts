import { hasManySlots } from '../../domain/calls/slot-sharing.ts';
import type { DialWork } from '../../messages/call-work.ts';
import { type DialCallDeps, dialCall } from './dial-call.ts';
import { endIfQueued } from './steps/end-queued-call.ts';
import { hangUpAtPlatform } from './steps/hang-up-at-platform.ts';

/**
 * Does what a message on the dial queue says: dials a call, or ends one at the platform.
 * @returns the result, for the log.
 */
export async function doDialWork(
  deps: DialCallDeps & { stageSlots: number },
  { call_id, hang_up, end_if_queued }: DialWork,
): Promise<string> {
  if (hang_up)
    return (await hangUpAtPlatform(deps, call_id, hang_up.platform_id, hang_up.tries)) ? 'hung_up' : 'not_hung_up';
  if (end_if_queued) return endIfQueued(deps, call_id, end_if_queued);
  const result = await dialCall(deps, call_id);
  // One reserved call less: there is room for another one.
  if (hasManySlots(deps.stageSlots)) await deps.slotsQueue.send({});
  return result;
}
