import type { Call } from '../../../domain/calls/call.ts';
import { TransactionContention } from '../../../domain/contention.ts';
import type { Analyst } from '../../../integrations/model/analyst.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';
import { type AnalyzeTranscriptDeps, analyzeTranscript, type CallAnalysis } from './analyze-transcript.ts';
import { limitRequests } from './limit-requests.ts';

export type AnalyzeInTimeDeps = Omit<AnalyzeTranscriptDeps, 'analyst' | 'refuse'> & {
  rateLimits: Pick<RateLimitStore, 'countOfOrg' | 'claim'>;
  /** @param timeoutMs the time for a whole analysis in milliseconds, at least 1. */
  analystWithin: (timeoutMs: number) => Analyst;
  /** The longest time for an analysis, in milliseconds. */
  modelTimeoutMs: number;
  /** Milliseconds since the request arrived. */
  elapsedMs: () => number;
};

/** The model's deadline, in milliseconds since the request arrived. The rest is for storing the result. */
const MODEL_UNTIL_MS = 23_500;
/** Our own deadline, in the same unit: Lambda stops the function after 29 s, and API Gateway waits 30 s. */
const ANSWER_UNTIL_MS = 28_500;

/**
 * Analyzes a call while its client waits. The model gets the time that remains after the reads, so that the client
 * always gets an answer in time; a result that takes longer to store may still be stored after the answer.
 * @returns as `analyzeTranscript`; `unavailable` if the time is over, `too_often` beyond a limit of the call or of its
 * organization. @throws as `analyzeTranscript`.
 */
export async function analyzeInTime(deps: AnalyzeInTimeDeps, call: Call): Promise<CallAnalysis> {
  const analyst: Analyst = {
    async analyze(request) {
      const leftMs = Math.floor(MODEL_UNTIL_MS - deps.elapsedMs());
      if (leftMs < 1) return { kind: 'unavailable', reason: 'no time left for the model' };
      return deps.analystWithin(Math.min(deps.modelTimeoutMs, leftMs)).analyze(request);
    },
  };
  const transact: Transact = async (writes, options) => {
    if (deps.elapsedMs() >= ANSWER_UNTIL_MS) throw new TransactionContention('no time left to store the analysis');
    return deps.transact(writes, options);
  };
  const timeLimit = Promise.withResolvers<CallAnalysis>();
  const timer = setTimeout(
    () => timeLimit.resolve({ kind: 'unavailable', reason: 'not done in time', isOperatorFault: false }),
    ANSWER_UNTIL_MS - deps.elapsedMs(),
  );
  try {
    return await Promise.race([
      analyzeTranscript({ ...deps, analyst, transact, refuse: limitRequests(deps) }, call),
      timeLimit.promise,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
