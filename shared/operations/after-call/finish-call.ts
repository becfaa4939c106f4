import type { Call } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import { isConnected } from '../../domain/connections/connection.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import { secondsAfter, secondsBetween } from '../../domain/time/instants.ts';
import type { VoicePlatform } from '../../integrations/voice/voice-platform.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallFiles } from '../../stores/calls/call-files.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type FinishAnalysisDeps, finishAnalysis, type StepState } from './finish-call-analysis.ts';

export type FinishCallDeps = FinishAnalysisDeps & {
  calls: Pick<CallStore, 'get' | 'claimRecording' | 'recordRecording' | 'finish'>;
  connections: Pick<ConnectionStore, 'get'>;
  files: Pick<CallFiles, 'putRecording'>;
  voice: Pick<VoicePlatform, 'recording'>;
  finishQueue: QueueSender<CallWork>;
  now: () => Date;
};

/** Longer than the function may run, so that two workers never copy the same recording at once. */
const LOOK_AGAIN_SECONDS = 90;
const RECORDING_DEADLINE_SECONDS = 30 * 60;
const MOST_RECORDING_BYTES = 512 * 1024 * 1024;

/**
 * Does what is left to do once a call has ended: its recording comes into the private bucket, and what was said is analyzed,
 * both at once and neither waiting for the other. Then the call is finished. A step that is not done by its deadline is
 * recorded as failed, and the call is finished all the same.
 * @returns a word for the log.
 */
export async function finishCall(deps: FinishCallDeps, callId: string): Promise<string> {
  const call = await deps.calls.get(callId);
  if (!call || !isTerminal(call.status)) return 'not_ended';
  if (call.finished_at) return 'finished_before';
  const [recording, analysis] = await bothEnd(finishRecording(deps, call), finishAnalysis(deps, call));
  const waits = [recording === 'not_yet' && 'recording_pending', analysis === 'not_yet' && 'analysis_pending'].filter(
    (word) => word !== false,
  );
  // Where one waits and the other has just ended, another worker may have ended the first one meanwhile.
  if (waits.length > 0 && recording !== 'now' && analysis !== 'now') return waits.join();
  const mayHaveTicket = await isForHelpDesk(deps, call);
  if (await deps.calls.finish(callId, deps.now().toISOString(), mayHaveTicket)) return 'finished';
  return waits.join() || 'finished_before';
}

/** Waits for both, so that none goes on behind the other's failure. @throws the first one's. */
async function bothEnd<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

/** Whether somebody was talked to for an org that has a help desk (interface, "Help-desk calls made by the service"). */
async function isForHelpDesk({ connections }: FinishCallDeps, { status, org_id }: Call): Promise<boolean> {
  if (status !== 'completed' && status !== 'transferred') return false;
  const connection = await connections.get(connectionIdFor(org_id, 'help-desk'));
  return connection !== undefined && isConnected(connection);
}

type Recording = NonNullable<Call['recording']>;

async function finishRecording(deps: FinishCallDeps, call: Call): Promise<StepState> {
  if (call.recording?.state !== 'pending') return 'before';
  const recording = await keepRecording(deps, call);
  if (!recording) return 'not_yet';
  await deps.calls.recordRecording(call.call_id, recording);
  return 'now';
}

/** @returns how the step ended, or undefined while it has not: then somebody looks again later. */
async function keepRecording(deps: FinishCallDeps, call: Call): Promise<Recording | undefined> {
  if (!call.platform_id) return { state: 'none' };
  const now = deps.now();
  const next = secondsAfter(now, LOOK_AGAIN_SECONDS);
  if (!(await deps.calls.claimRecording(call.call_id, { now: now.toISOString(), next }))) return undefined;

  const copied = await copyRecording(deps, call, call.platform_id);
  if (copied.kind === 'done') return copied.recording;
  if (secondsBetween(call.ended_at ?? call.progress_at, now) >= RECORDING_DEADLINE_SECONDS)
    return { state: 'failed', error: copied.reason };
  await deps.finishQueue.send({ call_id: call.call_id }, LOOK_AGAIN_SECONDS + 1);
  return undefined;
}

type Copied = { kind: 'done'; recording: Recording } | { kind: 'not_yet'; reason: string };

/** Whatever goes wrong, the deadline counts: a call is finished in the end. */
async function copyRecording(deps: FinishCallDeps, call: Call, platformId: string): Promise<Copied> {
  try {
    const found = await deps.voice.recording(platformId);
    if (found.kind === 'not_there') return { kind: 'not_yet', reason: 'the platform has no recording' };
    if (found.kind === 'unknown') return { kind: 'not_yet', reason: `the platform did not give it: ${found.reason}` };
    const { contentType, contentLength, body } = found;
    try {
      if (contentLength === undefined || contentLength > MOST_RECORDING_BYTES)
        return {
          kind: 'done',
          recording: { state: 'failed', error: 'the recording is too large, or its size is not known' },
        };
      const key = await deps.files.putRecording(call, { body, contentType, contentLength });
      return { kind: 'done', recording: { state: 'stored', key } };
    } finally {
      body.destroy();
    }
  } catch (error) {
    return { kind: 'not_yet', reason: `it could not be copied: ${(error as Error).name}` };
  }
}
