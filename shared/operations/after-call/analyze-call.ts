import type { Call } from '../../domain/calls/call.ts';
import { type GetCallDeps, getCall, type Reading } from '../calls/get-call.ts';
import { type AnalyzeInTimeDeps, analyzeInTime } from './analysis/analyze-in-time.ts';
import type { CallAnalysis } from './analysis/analyze-transcript.ts';

type AnalyzedReading = Extract<Reading<Call>, { kind: 'found' }> & { analysis: CallAnalysis };

/**
 * Analyzes a call of the key's organization while its client waits. Requires a valid key, but no permission
 * (docs/rest-api.md, "POST /v1/calls/{id}/analyze"). A call of another organization is reported as not found.
 * @throws as `analyzeTranscript`.
 */
export async function analyzeCall(
  deps: GetCallDeps<Call> & AnalyzeInTimeDeps,
  authorization: string | undefined,
  callId: string,
): Promise<Exclude<Reading<Call>, { kind: 'found' }> | AnalyzedReading> {
  const reading = await getCall(deps, authorization, callId, { costs: 'analyses' });
  if (reading.kind !== 'found') return reading;
  return { ...reading, analysis: await analyzeInTime(deps, reading.call) };
}
