import type { AnalysisResult } from '../../domain/calls/analysis.ts';

/** What a call's transcript is judged by. */
export type AnalysisRequest = {
  transcript: string;
  /** The assistant's own; absent = judged by what the assistant was told to do in general. */
  criteria?: string | undefined;
  /** JSON Schema of an object: the assistant's analysis_schema. */
  schema?: Record<string, unknown> | undefined;
};

/**
 * What stands though there is no result: of the answers that were not valid, the last to say whether the person asked not to
 * be called again said that they did.
 */
type Wish = { doNotCall?: true };

export type AnalysisOutcome =
  /** @property isCut the model was shown the beginning and the end of a long transcript. */
  | { kind: 'analyzed'; result: AnalysisResult; isCut: boolean }
  /** No valid answer, after one repair. */
  | ({ kind: 'invalid'; reason: string } & Wish)
  /** Throttled, down or slow; an operator's fault is one that waiting does not mend, such as a model without access. */
  | ({ kind: 'unavailable'; reason: string; isOperatorFault?: boolean } & Wish);

/** Reads a transcript. Failures are outcomes: it never throws for what the model does or answers. */
export type Analyst = { analyze(request: AnalysisRequest): Promise<AnalysisOutcome> };
