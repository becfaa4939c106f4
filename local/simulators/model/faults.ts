import * as z from 'zod';

/** What befalls a request, or its answer. */
export const faultSchema = z.strictObject({
  /** Only requests whose transcript holds this text. */
  whenTranscriptHas: z.string().optional(),
  kind: z.enum([
    /** Refused, by the vendor's names of errors. */
    'throttle',
    'quota',
    'access-denied',
    'not-found',
    'validation',
    'model-timeout',
    'model-error',
    'model-not-ready',
    'server-error',
    'unavailable',
    /** A page, as something in between answers. */
    'html',
    /** Never answered. */
    'hang',
    /** The connection breaks. */
    'drop',
    /** Answered as usual after `seconds`. */
    'slow',
    /** 200 with half of a JSON text. */
    'garbage',
    /** 200 with an output that is not the vendor's. */
    'no-output',
    /** The answer's members in `input` stand in place of the simulated ones. */
    'input',
    /** The answer as text instead of by the tool. */
    'text',
    /** A tool that nobody named, or the answer twice (the second with `input`), or no content at all. */
    'other-tool',
    'two-answers',
    'no-content',
    /** Stopped before the end: the answer has lost its last members. */
    'max-tokens',
    /** Stopped by the vendor: no answer. */
    'content-filtered',
    'guardrail',
    'context-exceeded',
    'malformed-tool-use',
  ]),
  input: z.record(z.string(), z.unknown()).optional(),
  seconds: z.number().min(0).optional(),
  /** Requests it lets pass first, then those it befalls (1 unless told; null: all). */
  skip: z.int().min(0).optional(),
  times: z.int().min(1).nullable().optional(),
});

export type Fault = z.infer<typeof faultSchema>;
export type ArmedFault = Fault & { skipped: number; befell: number };

/** The first fault that the request calls for, counted as used. */
export function takeFault(faults: ArmedFault[], transcript: string): Fault | undefined {
  for (const fault of faults) {
    const times = fault.times === undefined ? 1 : (fault.times ?? Number.POSITIVE_INFINITY);
    if (fault.whenTranscriptHas !== undefined && !transcript.includes(fault.whenTranscriptHas)) continue;
    if (fault.befell >= times) continue;
    if (fault.skipped < (fault.skip ?? 0)) {
      fault.skipped += 1;
      continue;
    }
    fault.befell += 1;
    return fault;
  }
  return undefined;
}
