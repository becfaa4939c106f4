import { type Analysis, type AnalysisResult, NO_TRANSCRIPT } from '../../../domain/calls/analysis.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { withKeptFiles } from '../../../domain/calls/retention/kept-files.ts';
import { usageOfAnalysis } from '../../../domain/calls/usage/usage.ts';
import { TransactionContention } from '../../../domain/contention.ts';
import type { Analyst } from '../../../integrations/model/analyst.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import type { UsageStore } from '../../../stores/calls/usage.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';

export type AnalyzeTranscriptDeps = {
  calls: Pick<CallStore, 'get' | 'analyzing' | 'notingDoNotCall'>;
  assistants: Pick<AssistantStore, 'get'>;
  doNotCall: Pick<DoNotCallStore, 'has' | 'adding'>;
  files: Pick<CallFiles, 'getTranscript'>;
  usage: Pick<UsageStore, 'counting'>;
  analyst: Analyst;
  transact: Transact;
  now: () => Date;
  /** Refuses a requested analysis before a request to the model; absent for the service's own analyses. */
  refuse?: (call: Call) => Promise<TooOften | undefined>;
};

/** An analysis by request that was refused by a limit. */
export type TooOften = { kind: 'too_often'; reason: string; retryAfterSeconds: number };

export type CallAnalysis =
  | TooOften
  | { kind: 'analyzed'; result: AnalysisResult }
  | { kind: 'no_transcript'; reason: string }
  | { kind: 'invalid'; reason: string }
  | { kind: 'unavailable'; reason: string; isOperatorFault: boolean };

const MAX_TRIES = 4;

/**
 * Analyzes the transcript of a call with the current settings of its assistant, and stores the result on the call.
 * Invalid answers store nothing except a do-not-call request. Analyses may run concurrently; the last result counts.
 * @throws the errors of our stores
 */
export async function analyzeTranscript(deps: AnalyzeTranscriptDeps, call: Call): Promise<CallAnalysis> {
  const { transcript_key } = withKeptFiles(call, deps.now());
  if (!transcript_key) return { kind: 'no_transcript', reason: NO_TRANSCRIPT };
  const [transcript, assistant, refusal] = await Promise.all([
    deps.files.getTranscript(transcript_key),
    deps.assistants.get(call.assistant_id),
    // In the same round trip, so that the check of the limits does not delay the analysis.
    deps.refuse?.(call),
  ]);
  if (refusal) return refusal;
  if (!transcript?.trim()) return { kind: 'no_transcript', reason: 'the transcript is empty' };
  const { success_criteria: criteria, analysis_schema: schema } = assistant ?? {};
  const outcome = await deps.analyst.analyze({ transcript, criteria, schema });
  if (outcome.kind === 'analyzed') {
    const { result, isCut } = outcome;
    await store(deps, call, {
      analysis: { state: 'done', result, ...(isCut && { is_cut: true }) },
      doNotCallRequest: result.do_not_call,
    });
    return { kind: 'analyzed', result };
  }
  const { kind, reason } = outcome;
  if (outcome.doNotCall) await store(deps, call, { doNotCallRequest: true });
  return kind === 'invalid' ? { kind, reason } : { kind, reason, isOperatorFault: outcome.isOperatorFault ?? false };
}

/**
 * Stores a result, a do-not-call request and the count of the first result in one transaction: a worker that dies
 * stores all of them or none. A call adds its number to the do-not-call list once: after an operator has removed it, a
 * later analysis does not add it again.
 * @param result.analysis absent to store only the do-not-call request
 * @throws TransactionContention if the call changes in every try
 */
async function store(
  deps: AnalyzeTranscriptDeps,
  known: Call,
  { analysis, doNotCallRequest }: { analysis?: Analysis; doNotCallRequest: boolean },
): Promise<void> {
  let call: Call | undefined = known;
  for (let attempt = 0; call && attempt < MAX_TRIES; attempt += 1) {
    const { call_id, org_id, phone_number: phone } = call;
    const now = deps.now().toISOString();
    const putsOnList = doNotCallRequest && call.do_not_call_at === undefined;
    if (!analysis && !putsOnList) return;
    const usage = usageOfAnalysis(call, analysis?.result);
    const isOnList = putsOnList && (await deps.doNotCall.has(org_id, phone));
    const { committed } = await deps.transact({
      call: analysis
        ? deps.calls.analyzing(call, { analysis, putsOnList }, now)
        : deps.calls.notingDoNotCall(call_id, now),
      number: putsOnList && !isOnList ? deps.doNotCall.adding({ org_id, phone, added_at: now, call_id }) : undefined,
      usage: usage && deps.usage.counting(call, usage.day, usage.counts),
    });
    if (committed) return;
    call = await deps.calls.get(call_id);
  }
  throw new TransactionContention(`the call changed in each of ${MAX_TRIES} tries to store its analysis`);
}
