import * as z from 'zod/mini';
import type { CallStatus } from './call-status.ts';

export const sentiments = ['positive', 'neutral', 'negative'] as const;
export const successEvals = ['success', 'partial', 'failure'] as const;
/** The person's intent. By default, the first three become tickets. */
export const leadIntents = [
  'complaint',
  'support_request',
  'callback',
  'purchase',
  'information',
  'not_interested',
  'wrong_number',
  'other',
] as const;

/** The findings of the language model in a transcript. */
export const analysisResultSchema = z.object({
  summary: z.string(),
  success_eval: z.enum(successEvals),
  sentiment: z.enum(sentiments),
  /** Conforms to the assistant's `analysis_schema`; empty without one. */
  structured_data: z.record(z.string(), z.unknown()),
  /** One of `leadIntents`. The default run condition of the help desk checks it. */
  lead_intent: z.nullable(z.string()),
  /** One or two sentences for the agent who works on the ticket. */
  issue_summary: z.nullable(z.string()),
  /** Whether the person asked not to be called again. */
  do_not_call: z.boolean(),
});
export type AnalysisResult = z.infer<typeof analysisResultSchema>;

/** The stored analysis of a call. `none`: the call has no text to analyze. */
export const analysisSchema = z.object({
  state: z.enum(['pending', 'done', 'none', 'failed']),
  result: z.optional(analysisResultSchema),
  /** Whether the model saw only parts of the transcript. */
  is_cut: z.optional(z.boolean()),
  error: z.optional(z.string()),
});
export type Analysis = z.infer<typeof analysisSchema>;

/**
 * Decides at the end of a call whether to analyze it. A call is answered if it connected and reached no voicemail.
 * Failed and canceled calls count, because the person may have said what they want before the call broke off.
 * @param end.duration seconds. @param hasTranscript whether the end has a transcript. A transcript never arrives later.
 */
export function analysisAtEnd(end: { status: CallStatus; duration: number }, hasTranscript: boolean): Analysis {
  const isAnswered = end.duration > 0 && end.status !== 'no_answer';
  if (!isAnswered) return { state: 'none', error: 'nobody answered' };
  return hasTranscript ? { state: 'pending' } : { state: 'none', error: NO_TRANSCRIPT };
}

export const NO_TRANSCRIPT = 'there is no transcript';

/**
 * Returns the fields that the help desk uses: two of every analysis, and those of the assistant's schema. A
 * `lead_intent` in the schema takes precedence.
 */
export const extractedFields = ({
  structured_data,
  lead_intent,
  issue_summary,
}: AnalysisResult): Record<string, unknown> => ({ lead_intent, issue_summary, ...structured_data });
