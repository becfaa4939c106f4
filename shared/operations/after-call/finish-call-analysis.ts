import type { Call } from '../../domain/calls/call.ts';
import type { Count } from '../../domain/metric.ts';
import { secondsAfter, secondsBetween } from '../../domain/time/instants.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type AnalyzeCallDeps, analyzeCall, type CallAnalysis } from './analyze-call.ts';

export type FinishAnalysisDeps = AnalyzeCallDeps & {
  calls: Pick<CallStore, 'claimAnalysis' | 'recordNoAnalysis'>;
  finishQueue: QueueSender<CallWork>;
  count: Count;
};

/** Longer than the function may run, so that two workers never ask for the same call at once. */
const LEAST_WAIT_SECONDS = 90;
/** A queue holds a message back for 15 minutes at most. */
const MOST_WAIT_SECONDS = 12 * 60;
const DEADLINE_SECONDS = 60 * 60;
/** A model that answers, and not validly, hardly ever learns it: neither CRM-B nor a ticket waits an hour for that. */
const INVALID_DEADLINE_SECONDS = 5 * 60;

/** How a step of finish-call stands: it had ended before, it ended now, or somebody looks again later. */
export type StepState = 'before' | 'now' | 'not_yet';

/** Has an ended call analyzed; where that does not succeed, again later, less and less often, until its deadline. */
export async function finishAnalysis(deps: FinishAnalysisDeps, call: Call): Promise<StepState> {
  if (call.analysis?.state !== 'pending') return 'before';
  const now = deps.now();
  const elapsed = secondsBetween(call.ended_at ?? call.progress_at, now);
  const wait = waitAfter(elapsed);
  const next = secondsAfter(now, wait);
  if (!(await deps.calls.claimAnalysis(call.call_id, { now: now.toISOString(), next }))) return 'not_yet';

  const outcome = await tryToAnalyze(deps, call);
  if (outcome.kind === 'analyzed') return 'now';
  const { reason: error } = outcome;
  if (outcome.kind === 'no_transcript') {
    await deps.calls.recordNoAnalysis(call.call_id, { state: 'none', error });
    return 'now';
  }
  if (outcome.kind === 'unavailable' && outcome.isOperatorFault) deps.count('ModelOperatorFault');
  if (elapsed >= (outcome.kind === 'invalid' ? INVALID_DEADLINE_SECONDS : DEADLINE_SECONDS)) {
    if (await deps.calls.recordNoAnalysis(call.call_id, { state: 'failed', error })) deps.count('AnalysisFailed');
    return 'now';
  }
  await deps.finishQueue.send({ call_id: call.call_id }, wait + 1);
  return 'not_yet';
}

/** The waits double, because each is as long as all that has passed; the last one ends at the deadline. */
function waitAfter(elapsed: number): number {
  const untilDeadline = Math.ceil(DEADLINE_SECONDS - elapsed);
  const doubling = Math.min(Math.ceil(elapsed), MOST_WAIT_SECONDS);
  return Math.max(LEAST_WAIT_SECONDS, untilDeadline > 0 ? Math.min(doubling, untilDeadline) : doubling);
}

/** Whatever goes wrong, the deadline counts: a call is finished in the end. */
async function tryToAnalyze(deps: FinishAnalysisDeps, call: Call): Promise<CallAnalysis> {
  try {
    return await analyzeCall(deps, call);
  } catch (error) {
    return { kind: 'unavailable', reason: `it could not be done: ${(error as Error).name}`, isOperatorFault: false };
  }
}
