import { lateWait, stepWait } from '../../../domain/after-call/finish-timing.ts';
import type { Call } from '../../../domain/calls/call.ts';
import type { Count } from '../../../domain/metric.ts';
import { secondsAfter, secondsBetween } from '../../../domain/time/instants.ts';
import type { CallWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import {
  type AnalyzeTranscriptDeps,
  analyzeTranscript,
  type CallAnalysis,
  type TooOften,
} from '../analysis/analyze-transcript.ts';

/** The state of a step of finish-call: it ended earlier, it ended in this run, or a later run tries it again. */
export type StepState = 'ended_before' | 'ended_now' | 'pending';

export type AnalysisStepDeps = AnalyzeTranscriptDeps & {
  calls: Pick<CallStore, 'claimAnalysis' | 'recordNoAnalysis'>;
  finishQueue: QueueSender<CallWork>;
  count: Count;
};

const DEADLINE_SECONDS = 60 * 60;
/** A model that gives invalid answers rarely improves; CRM-B and the ticket must not wait an hour for it. */
const INVALID_DEADLINE_SECONDS = 5 * 60;

/**
 * Analyzes an ended call; if that fails, retries with growing waits until the deadline. If the model was unavailable,
 * retries continue after the call is finished, until a day after its end (late-analysis.ts).
 */
export async function finishAnalysis(deps: AnalysisStepDeps, call: Call): Promise<StepState> {
  if (call.analysis?.state !== 'pending') return 'ended_before';
  const now = deps.now();
  const elapsed = secondsBetween(call.ended_at ?? call.progress_at, now);
  const wait = stepWait(elapsed, DEADLINE_SECONDS);
  const next = secondsAfter(now, wait);
  if (!(await deps.calls.claimAnalysis(call.call_id, { now: now.toISOString(), next }))) return 'pending';

  const outcome = await tryToAnalyze(deps, call);
  if (outcome.kind === 'analyzed') return 'ended_now';
  const { reason: error } = outcome;
  if (outcome.kind === 'no_transcript') {
    await deps.calls.recordNoAnalysis(call.call_id, { state: 'none', error });
    return 'ended_now';
  }
  if (outcome.kind === 'unavailable' && outcome.isOperatorFault) deps.count('ModelOperatorFault');
  if (elapsed >= (outcome.kind === 'invalid' ? INVALID_DEADLINE_SECONDS : DEADLINE_SECONDS)) {
    const late = outcome.kind === 'unavailable' ? lateWait(elapsed) : undefined;
    const later = late === undefined ? undefined : secondsAfter(now, late);
    const failed = { state: 'failed', error } as const;
    if (await deps.calls.recordNoAnalysis(call.call_id, failed, later)) deps.count('AnalysisFailed');
    return 'ended_now';
  }
  await deps.finishQueue.send({ call_id: call.call_id }, wait + 1);
  return 'pending';
}

/** Analyzes a call, and returns every failure as a result, so that the step's deadline applies to it. */
export async function tryToAnalyze(deps: AnalyzeTranscriptDeps, call: Call): Promise<Exclude<CallAnalysis, TooOften>> {
  try {
    const outcome = await analyzeTranscript(deps, call);
    if (outcome.kind !== 'too_often') return outcome;
    return { kind: 'unavailable', reason: outcome.reason, isOperatorFault: false };
  } catch (error) {
    return { kind: 'unavailable', reason: `the analysis failed: ${(error as Error).name}`, isOperatorFault: false };
  }
}
