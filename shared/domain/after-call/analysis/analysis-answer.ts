import * as z from 'zod/mini';
import { type AnalysisResult, leadIntents, sentiments, successEvals } from '../../calls/analysis.ts';
import { plainText } from '../../text/plain-text.ts';
import type { Extraction, Problem } from './extraction.ts';

/** The model's only tool: the model can answer and do nothing else. */
export const ANSWER_TOOL = 'record_analysis';

const MAX_SUMMARY = 2_000;
const MAX_ISSUE = 1_000;
const MAX_DATA = 16_384;

const words = (most: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(most));

const answerSchema = z.object({
  summary: words(MAX_SUMMARY),
  success_eval: z.enum(successEvals),
  sentiment: z.enum(sentiments),
  lead_intent: z.enum(leadIntents),
  issue_summary: z.string().check(z.trim(), z.maxLength(MAX_ISSUE)),
  do_not_call: z.boolean(),
});

const doNotCallSchema = z.pick(answerSchema, { do_not_call: true });

/**
 * Returns the JSON Schema of the tool. Its root has only `type`, `properties` and `required`, because some models
 * refuse more (Nova guide, "Defining a tool").
 * @param extraction the assistant's own fields; absent if it has none.
 */
export const answerJsonSchema = (extraction: Extraction | undefined): Record<string, unknown> => ({
  type: 'object',
  properties: {
    summary: { type: 'string', description: 'What was said and agreed, in two to four sentences, in English.' },
    success_eval: { type: 'string', enum: successEvals, description: 'How far the call met the criteria.' },
    sentiment: { type: 'string', enum: sentiments, description: 'How the person felt at the end.' },
    lead_intent: {
      type: 'string',
      enum: leadIntents,
      description: 'What the person wants of us; other if nothing fits.',
    },
    issue_summary: {
      type: 'string',
      description:
        "The person's concern in one or two sentences, for whoever works on it without having heard the call; empty if there is none.",
    },
    do_not_call: {
      type: 'boolean',
      description:
        'true only if the person themselves asked not to be called again. A call at a bad moment is not that.',
    },
    ...(extraction && { structured_data: extraction.schema }),
  },
  required: [...Object.keys(answerSchema.shape), ...(extraction ? ['structured_data'] : [])],
});

/**
 * Validates the model's answer.
 * @param extraction the same as for `answerJsonSchema`.
 * @returns the result; or all problems, with `do_not_call` if that field is valid, because a do-not-call request counts
 * even in an otherwise invalid answer.
 */
export function parseAnswer(
  input: unknown,
  extraction: Extraction | undefined,
): { result: AnalysisResult } | { problems: Problem[]; doNotCall: boolean | undefined } {
  const fixed = answerSchema.safeParse(input);
  const problems = fixed.success
    ? []
    : fixed.error.issues.map(({ path, message }): Problem => ({ where: path.join('/') || 'input', what: message }));
  const extracted = extraction ? readData(input, extraction) : { data: {} };
  if ('problems' in extracted) problems.push(...extracted.problems);
  if (!fixed.success || 'problems' in extracted)
    return { problems, doNotCall: doNotCallSchema.safeParse(input).data?.do_not_call };
  const { summary, issue_summary, ...rest } = fixed.data;
  return {
    result: {
      summary: plainText(summary, MAX_SUMMARY),
      issue_summary: plainText(issue_summary, MAX_ISSUE) || null,
      ...rest,
      structured_data: extracted.data,
    },
  };
}

function readData(input: unknown, extraction: Extraction): ReturnType<Extraction['read']> {
  const value =
    typeof input === 'object' && input !== null ? (input as { structured_data?: unknown }).structured_data : undefined;
  if (typeof value !== 'object' || value === null)
    return { problems: [{ where: 'structured_data', what: 'expected an object' }] };
  const read = extraction.read(value);
  if ('problems' in read)
    return {
      problems: read.problems.map(({ where, what }) => ({
        where: ['structured_data', where].filter(Boolean).join('/'),
        what,
      })),
    };
  if (JSON.stringify(read.data).length > MAX_DATA)
    return { problems: [{ where: 'structured_data', what: `more than ${MAX_DATA} characters` }] };
  return read;
}
