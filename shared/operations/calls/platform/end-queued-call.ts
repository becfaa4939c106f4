import type { Call } from '../../../domain/calls/call.ts';
import { isQueued } from '../../../domain/calls/platform/platform-lookup.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import type { VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { DialWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { type HangUpAtPlatformDeps, hangUpAtPlatform, repeatSeconds } from './hang-up-at-platform.ts';

export type EndQueuedCallDeps = HangUpAtPlatformDeps & {
  calls: Pick<CallStore, 'noteCancel'>;
  now: () => Date;
};

/**
 * Ends a call that the platform has queued, but must no longer dial: its `dial_by` has passed, or its lead must not be
 * called. The platform's report then gives the call back (docs/call-lifecycle.md, "Queued at the platform").
 * @param call as it was read, after the platform's record said that the call is queued.
 */
export async function endQueuedCall(deps: EndQueuedCallDeps, call: Call): Promise<string> {
  const { call_id: callId, dial_claimed_at: claimedAt, platform_id: platformId } = call;
  if (!claimedAt || !platformId) return 'not_queued';
  // Before the hang-up, because the report may arrive at once.
  if (!(await deps.calls.noteCancel({ callId, claimedAt }, platformId, deps.now().toISOString()))) return 'not_queued';
  return (await hangUpAtPlatform(deps, callId, platformId)) ? 'ended_at_platform' : 'not_ended_at_platform';
}

/** A call that was just dialed is still queued for some seconds. */
const JUST_DIALED_SECONDS = 30;
/** recover-calls reads a call that makes no progress within this time. */
const READ_BY_RECOVERY_SECONDS = 10 * 60;

/**
 * Sends the message that ends a call at its `dial_by` if the platform has it queued without saying so. No-op if
 * recover-calls notices that before its `dial_by`.
 */
export async function endSoonIfQueued(
  { dialQueue, now }: Pick<EndQueuedCallDeps, 'dialQueue' | 'now'>,
  { call_id, dial_by }: Pick<Call, 'call_id' | 'dial_by'>,
  platformId: string,
): Promise<void> {
  const left = secondsBetween(now(), dial_by);
  if (left > READ_BY_RECOVERY_SECONDS) return;
  await dialQueue.send({ call_id, end_if_queued: platformId }, Math.max(left, JUST_DIALED_SECONDS));
}

/**
 * Sends the message that ends a call if the platform has it queued, because it must no longer be called. A call that
 * was just dialed usually rings before.
 */
export const endNowIfQueued = (
  { dialQueue }: { dialQueue: Pick<QueueSender<DialWork>, 'send'> },
  { call_id, queued_at_platform }: Pick<Call, 'call_id' | 'queued_at_platform'>,
  platformId: string,
): Promise<void> =>
  dialQueue.send({ call_id, end_if_queued: platformId, at_once: true }, queued_at_platform ? 0 : JUST_DIALED_SECONDS);

/**
 * Reads a call from the platform at its `dial_by`, or at once if its lead must not be called, and ends it if the
 * platform still has it queued. While the platform does not answer, a message on the dial queue repeats this, as often
 * as a hang-up. recover-calls does the same some minutes later.
 * @param work.at_once whether the `dial_by` does not matter @param work.tries the number of earlier attempts
 */
export async function endIfQueued(
  deps: EndQueuedCallDeps & { calls: Pick<CallStore, 'get'>; voice: Pick<VoicePlatform, 'read'> },
  callId: string,
  platformId: string,
  { at_once, tries = 0 }: Pick<DialWork, 'at_once' | 'tries'> = {},
): Promise<string> {
  const call = await deps.calls.get(callId);
  if (call?.status !== 'dialing' || call.platform_id !== platformId) return 'not_queued';
  const left = secondsBetween(deps.now(), call.dial_by);
  if (left > 0 && !at_once && !call.lead_stop) {
    // A queue delays a message by 15 minutes at most, so a longer wait takes several messages.
    await deps.dialQueue.send({ call_id: callId, end_if_queued: platformId }, left);
    return 'queued_at_platform';
  }
  const record = await deps.voice.read(platformId);
  const delay = record.kind === 'unknown' ? repeatSeconds(tries) : undefined;
  if (delay !== undefined) {
    const repeat = { call_id: callId, end_if_queued: platformId, ...(at_once && { at_once }), tries: tries + 1 };
    await deps.dialQueue.send(repeat, delay);
    return 'no_answer';
  }
  if (record.kind !== 'known' || !isQueued(call, record.message)) return 'not_queued';
  return endQueuedCall(deps, call);
}
