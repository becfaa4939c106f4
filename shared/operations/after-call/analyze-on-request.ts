import type { Call } from '../../domain/calls/call.ts';
import { TransactionContention } from '../../domain/contention.ts';
import type { Analyst } from '../../integrations/model/analyst.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import { type AnalyzeCallDeps, analyzeCall, type CallAnalysis } from './analyze-call.ts';

export type AnalyzeOnRequestDeps = Omit<AnalyzeCallDeps, 'analyst'> & {
  /** @param timeoutMs for all of an analysis: whole milliseconds, at least one. */
  analystWithin: (timeoutMs: number) => Analyst;
  /** The most that an analysis may take, in milliseconds. */
  modelTimeoutMs: number;
  /** Milliseconds since the request came in. */
  elapsedMs: () => number;
};

/**
 * Milliseconds from the request's begin. The function is stopped after 29 s, and API Gateway waits for 30 s: what comes
 * later is answered by API Gateway in its own words.
 */
const MODEL_UNTIL_MS = 23_500;
const ANSWER_UNTIL_MS = 28_500;

/**
 * Has a call analyzed while its client waits: what the reads took is taken off the model's time, and whatever is slow,
 * there is an answer in time. Where that comes before the result is known to be kept, it may be kept all the same.
 * @returns as analyzeCall; `unavailable` where the time is over. @throws as analyzeCall.
 */
export async function analyzeOnRequest(deps: AnalyzeOnRequestDeps, call: Call): Promise<CallAnalysis> {
  const analyst: Analyst = {
    async analyze(request) {
      const leftMs = Math.floor(MODEL_UNTIL_MS - deps.elapsedMs());
      if (leftMs < 1) return { kind: 'unavailable', reason: 'no time left to ask' };
      return deps.analystWithin(Math.min(deps.modelTimeoutMs, leftMs)).analyze(request);
    },
  };
  const transact: Transact = async (writes, options) => {
    if (deps.elapsedMs() >= ANSWER_UNTIL_MS) throw new TransactionContention('no time left to keep the analysis');
    return deps.transact(writes, options);
  };
  const over = Promise.withResolvers<CallAnalysis>();
  const timer = setTimeout(
    () => over.resolve({ kind: 'unavailable', reason: 'not done in time', isOperatorFault: false }),
    ANSWER_UNTIL_MS - deps.elapsedMs(),
  );
  try {
    return await Promise.race([analyzeCall({ ...deps, analyst, transact }, call), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
