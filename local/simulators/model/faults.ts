import * as z from 'zod';
import { countFields } from '../kit/faults.ts';

export const faultSchema = z.strictObject({
  ...countFields,
  /** Only requests whose transcript contains this text. */
  whenTranscriptHas: z.string().optional(),
  kind: z.enum([
    /** Refused with one of the vendor's errors. */
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
    /** The page of a proxy. */
    'html',
    /** No answer. */
    'hang',
    /** A broken connection. */
    'drop',
    /** The usual answer after `seconds`. */
    'slow',
    /** 200 with half of a JSON text. */
    'garbage',
    /** 200 with an output that is not the vendor's. */
    'no-output',
    /** The members of `input` replace those of the simulated answer. */
    'input',
    /** The answer as text in place of a tool use. */
    'text',
    /** An unknown tool; the answer twice, the second time with `input`; or no content. */
    'other-tool',
    'two-answers',
    'no-content',
    /** Stopped early: the answer lacks its last members. */
    'max-tokens',
    /** Stopped by the vendor, without an answer. */
    'content-filtered',
    'guardrail',
    'context-exceeded',
    'malformed-tool-use',
  ]),
  input: z.record(z.string(), z.unknown()).optional(),
  seconds: z.number().min(0).optional(),
});

export type Fault = z.infer<typeof faultSchema>;
