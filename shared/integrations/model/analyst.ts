import type { AnalysisResult } from '../../domain/calls/analysis.ts';

/** A transcript and the criteria for its analysis. */
export type AnalysisRequest = {
  transcript: string;
  /** The assistant's success criteria; absent to judge by the evident purpose of the call. */
  criteria?: string | undefined;
  /** JSON Schema of an object: the assistant's analysis_schema. */
  schema?: Record<string, unknown> | undefined;
};

/**
 * Set if the invalid answers say that the person asked not to be called again; the last one that has this member
 * decides.
 */
type DoNotCallRequest = { doNotCall?: true };

export type AnalysisOutcome =
  /** @property isCut whether the model got only the beginning and the end of a long transcript. */
  | { kind: 'analyzed'; result: AnalysisResult; isCut: boolean }
  /** The model gave no valid answer, even after one repair. */
  | ({ kind: 'invalid'; reason: string } & DoNotCallRequest)
  /**
   * Throttled, down or slow; or an operator's mistake, such as missing access to the model, which does not pass without
   * action.
   */
  | ({ kind: 'unavailable'; reason: string; isOperatorFault?: boolean } & DoNotCallRequest);

/** Analyzes a transcript. Every failure of the model is an outcome; `analyze` does not throw for it. */
export type Analyst = { analyze(request: AnalysisRequest): Promise<AnalysisOutcome> };
