import { stepWait } from '../../../domain/after-call/finish-timing.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { secondsAfter, secondsBetween } from '../../../domain/time/instants.ts';
import type { VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import type { StepState } from './analysis-step.ts';

export type RecordingStepDeps = {
  calls: Pick<CallStore, 'claimRecording' | 'recordRecording'>;
  files: Pick<CallFiles, 'putRecording'>;
  voice: Pick<VoicePlatform, 'recording'>;
  finishQueue: QueueSender<CallWork>;
  now: () => Date;
};

type Recording = NonNullable<Call['recording']>;

const DEADLINE_SECONDS = 30 * 60;
const MAX_BYTES = 512 * 1024 * 1024;
const UNUSABLE = 'the recording is empty or larger than 512 MB';

/**
 * Copies the recording of an ended call into the private bucket; if that fails or the platform has none yet, retries
 * with growing waits until the deadline.
 */
export async function finishRecording(deps: RecordingStepDeps, call: Call): Promise<StepState> {
  if (call.recording?.state !== 'pending') return 'ended_before';
  const recording = await recordingOf(deps, call);
  if (!recording) return 'pending';
  await deps.calls.recordRecording(call.call_id, recording, deps.now().toISOString());
  return 'ended_now';
}

/** @returns undefined while the step is pending: a later run retries it, or another worker has claimed it. */
async function recordingOf(deps: RecordingStepDeps, call: Call): Promise<Recording | undefined> {
  if (!call.platform_id) return { state: 'none' };
  const now = deps.now();
  const elapsed = secondsBetween(call.ended_at ?? call.progress_at, now);
  const wait = stepWait(elapsed, DEADLINE_SECONDS);
  const next = secondsAfter(now, wait);
  if (!(await deps.calls.claimRecording(call.call_id, { now: now.toISOString(), next }))) return undefined;

  const copied = await copyRecording(deps, call, call.platform_id);
  if (copied.kind === 'settled') return copied.recording;
  if (elapsed >= DEADLINE_SECONDS) return { state: 'failed', error: copied.reason };
  await deps.finishQueue.send({ call_id: call.call_id }, wait + 1);
  return undefined;
}

type Copied = { kind: 'settled'; recording: Recording } | { kind: 'unavailable'; reason: string };

/** Copies the recording, and returns every failure as a result, so that the step's deadline applies to it. */
async function copyRecording(deps: RecordingStepDeps, call: Call, platformId: string): Promise<Copied> {
  try {
    const found = await deps.voice.recording(platformId);
    if (found.kind === 'not_there') return { kind: 'unavailable', reason: 'the platform has no recording' };
    if (found.kind === 'unknown')
      return { kind: 'unavailable', reason: `the platform did not send the recording: ${found.reason}` };
    const { contentType, contentLength, body } = found;
    try {
      const key = await deps.files.putRecording(call, { body, contentType, contentLength }, MAX_BYTES);
      if (key === undefined) return { kind: 'settled', recording: { state: 'failed', error: UNUSABLE } };
      return { kind: 'settled', recording: { state: 'stored', key } };
    } finally {
      body.destroy();
    }
  } catch (error) {
    return { kind: 'unavailable', reason: `the copy failed: ${(error as Error).name}` };
  }
}
