import { type Call, mustNotRing } from '../../../domain/calls/call.ts';
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
 * Ends a call that the platform has queued, but must no longer dial: its `dial_by` has passed, or it must not ring. The
 * platform's report then gives the call back (docs/call-lifecycle.md, "Queued at the platform").
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
/** Within this time, recover-calls reads a call that makes no progress. */
const READ_BY_RECOVERY_SECONDS = 10 * 60;

/**
 * Sends the message that ends a call at its `dial_by` if the platform has it queued without saying so, or soon if a
 * newer event stopped it during the dial request. Sends none for a distant `dial_by`, because recover-calls reads the
 * call earlier.
 */
export async function sendEndAtDialBy(
  { calls, dialQueue, now }: Pick<EndQueuedCallDeps, 'dialQueue' | 'now'> & { calls: Pick<CallStore, 'get'> },
  { call_id, dial_by, lead }: Pick<Call, 'call_id' | 'dial_by' | 'lead'>,
  platformId: string,
): Promise<void> {
  const latest = lead && (await calls.get(call_id));
  if (latest && mustNotRing(latest)) return sendEndIfQueued({ dialQueue }, latest);
  const left = secondsBetween(now(), dial_by);
  if (left > READ_BY_RECOVERY_SECONDS) return;
  await dialQueue.send({ call_id, end_if_queued: platformId }, Math.max(left, JUST_DIALED_SECONDS));
}

/**
 * Sends the message that ends a call which must not ring, if the platform has it queued. A call that was just dialed
 * usually rings before the message arrives. Until the platform's id is known, dial-call and recover-calls end it.
 */
export async function sendEndIfQueued(
  { dialQueue }: { dialQueue: Pick<QueueSender<DialWork>, 'send'> },
  { call_id, platform_id, queued_at_platform }: Pick<Call, 'call_id' | 'platform_id' | 'queued_at_platform'>,
): Promise<void> {
  if (platform_id)
    await dialQueue.send({ call_id, end_if_queued: platform_id }, queued_at_platform ? 0 : JUST_DIALED_SECONDS);
}

/**
 * Reads a call from the platform at its `dial_by`, or at once if it must not ring, and ends it if the platform still
 * has it queued. While the platform does not answer, a message on the dial queue repeats this attempt, as often as it
 * repeats a hang-up. recover-calls does the same some minutes later.
 * @param tries the number of earlier attempts
 */
export async function endIfQueued(
  deps: EndQueuedCallDeps & { calls: Pick<CallStore, 'get'>; voice: Pick<VoicePlatform, 'read'> },
  callId: string,
  platformId: string,
  tries = 0,
): Promise<string> {
  const call = await deps.calls.get(callId);
  if (call?.status !== 'dialing' || call.platform_id !== platformId) return 'not_queued';
  const left = secondsBetween(deps.now(), call.dial_by);
  if (left > 0 && !mustNotRing(call)) {
    // A queue delays a message by 15 minutes at most, so a longer wait takes several messages.
    await deps.dialQueue.send({ call_id: callId, end_if_queued: platformId }, left);
    return 'queued_at_platform';
  }
  const record = await deps.voice.read(platformId);
  const delay = record.kind === 'unknown' ? repeatSeconds(tries) : undefined;
  if (delay !== undefined) {
    await deps.dialQueue.send({ call_id: callId, end_if_queued: platformId, tries: tries + 1 }, delay);
    return 'no_answer';
  }
  if (record.kind !== 'known' || !isQueued(call, record.message)) return 'not_queued';
  return endQueuedCall(deps, call);
}
