import { lateWait } from '../../../domain/after-call/finish-timing.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { secondsAfter, secondsBetween } from '../../../domain/time/instants.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { type AnalysisStepDeps, tryToAnalyze } from './analysis-step.ts';

export type LateAnalysisDeps = AnalysisStepDeps & {
  calls: Pick<CallStore, 'claimLateAnalysis' | 'giveUpAnalysis' | 'recordAnalysisNotified'>;
};

/**
 * Analyzes a call that was finished without its analysis (docs/call-lifecycle.md, "The analysis"): the person may have
 * asked not to be called again. recover-calls sends the call whenever a try is due.
 * @returns a result code for the log.
 */
export async function analyzeLate(deps: LateAnalysisDeps, call: Call): Promise<string> {
  const { call_id, analysis_after, analysis_callback, callback_url } = call;
  if (analysis_callback !== 'pending') return 'finished_before';
  const settle = async (code: string) => {
    // The analysis notification settles a call with a callback URL.
    if (callback_url === undefined) await deps.calls.recordAnalysisNotified(call_id);
    return code;
  };
  // A client's analysis came first, or a worker died right after its own.
  if (analysis_after === undefined) return settle('finished_before');

  const now = deps.now();
  const elapsed = secondsBetween(call.ended_at ?? call.progress_at, now);
  const wait = lateWait(elapsed);
  if (wait === undefined) return giveUp(deps, call);
  const next = secondsAfter(now, wait);
  if (!(await deps.calls.claimLateAnalysis(call_id, { now: now.toISOString(), next }))) return 'analysis_pending';
  const outcome = await tryToAnalyze(deps, call);
  if (outcome.kind === 'analyzed') return settle('analyzed_late');
  if (outcome.kind !== 'unavailable') return giveUp(deps, call);
  if (outcome.isOperatorFault) deps.count('ModelOperatorFault');
  return 'analysis_pending';
}

async function giveUp(deps: LateAnalysisDeps, { call_id }: Call): Promise<string> {
  if (await deps.calls.giveUpAnalysis(call_id)) deps.count('AnalysisFailed');
  return 'analysis_given_up';
}
