import * as z from 'zod/mini';
import type { CallStatus } from './call-status.ts';

export const sentiments = ['positive', 'neutral', 'negative'] as const;
export const successEvals = ['success', 'partial', 'failure'] as const;
/** Why the person talks to us. The help desk's tickets are made of the first three unless it is set otherwise. */
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

/** What a model found in a transcript. */
export const analysisResultSchema = z.object({
  summary: z.string(),
  success_eval: z.enum(successEvals),
  sentiment: z.enum(sentiments),
  /** By the assistant's `analysis_schema`; empty without one. */
  structured_data: z.record(z.string(), z.unknown()),
  /** One of `leadIntents`; what the help desk's run condition looks at unless it says otherwise. */
  lead_intent: z.nullable(z.string()),
  /** In a sentence or two, for whoever works on the ticket. */
  issue_summary: z.nullable(z.string()),
  /** Whether the person asked not to be called again. */
  do_not_call: z.boolean(),
});
export type AnalysisResult = z.infer<typeof analysisResultSchema>;

/** A call's analysis as it is kept. `none`: there is nothing to analyze. */
export const analysisSchema = z.object({
  state: z.enum(['pending', 'done', 'none', 'failed']),
  result: z.optional(analysisResultSchema),
  /** Whether the model saw only parts of the transcript. */
  is_cut: z.optional(z.boolean()),
  error: z.optional(z.string()),
});
export type Analysis = z.infer<typeof analysisSchema>;

/**
 * The analysis of a call that ends. A person answered where there is connected time that is not a voicemail's; also a call
 * that broke off may have told what somebody wants.
 * @param end.duration seconds. @param hasTranscript what was said comes with the end or never.
 */
export function analysisAtEnd(end: { status: CallStatus; duration: number }, hasTranscript: boolean): Analysis {
  const isAnswered = end.duration > 0 && end.status !== 'no_answer';
  if (!isAnswered) return { state: 'none', error: 'nobody answered' };
  return hasTranscript ? { state: 'pending' } : { state: 'none', error: NO_TRANSCRIPT };
}

export const NO_TRANSCRIPT = 'there is no transcript';

/**
 * @returns the extracted fields: what the help desk needs of every call, and what the assistant's schema names. A schema with
 * a `lead_intent` of its own means that one.
 */
export const extractedFields = ({
  structured_data,
  lead_intent,
  issue_summary,
}: AnalysisResult): Record<string, unknown> => ({ lead_intent, issue_summary, ...structured_data });
