import type { Call } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import { isConnected } from '../../domain/connections/connection.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import { finishAnalysis } from './finish-steps/analysis-step.ts';
import { analyzeLate, type LateAnalysisDeps } from './finish-steps/late-analysis.ts';
import { finishRecording, type RecordingStepDeps } from './finish-steps/recording-step.ts';

export type FinishCallDeps = LateAnalysisDeps &
  RecordingStepDeps & {
    calls: Pick<CallStore, 'get' | 'finish'>;
    connections: Pick<ConnectionStore, 'get'>;
  };

/**
 * Completes the work after a call: copies its recording and analyzes its transcript concurrently, then marks the call
 * finished. A step that misses its deadline is recorded as failed, and the call is finished without it. For a finished
 * call, tries its late analysis.
 * @returns a result code for the log.
 */
export async function finishCall(deps: FinishCallDeps, callId: string): Promise<string> {
  const call = await deps.calls.get(callId);
  if (!call || !isTerminal(call.status)) return 'not_ended';
  if (call.finished_at) return analyzeLate(deps, call);
  const [recording, analysis] = await settleBoth(finishRecording(deps, call), finishAnalysis(deps, call));
  const waits = [recording === 'pending' && 'recording_pending', analysis === 'pending' && 'analysis_pending'].filter(
    (code) => code !== false,
  );
  // If one step is pending and the other has just ended, another worker may have ended the first one in between.
  if (waits.length > 0 && recording !== 'ended_now' && analysis !== 'ended_now') return waits.join();
  const mayHaveTicket = await hasHelpDesk(deps, call);
  if (await deps.calls.finish(callId, deps.now().toISOString(), mayHaveTicket)) return 'finished';
  return waits.join() || 'finished_before';
}

/** Waits for both even if one fails, so that no step keeps running in the background. @throws the first error. */
async function settleBoth<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

/**
 * Returns whether a person was reached, and the organization has a help desk (docs/help-desk.md, "Calls that get a
 * ticket").
 */
async function hasHelpDesk({ connections }: FinishCallDeps, { status, org_id }: Call): Promise<boolean> {
  if (status !== 'completed' && status !== 'transferred') return false;
  const connection = await connections.get(connectionIdFor(org_id, 'help-desk'));
  return connection !== undefined && isConnected(connection);
}
