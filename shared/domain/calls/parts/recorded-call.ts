import * as z from 'zod/mini';
import type { Shown } from '../../newer-values.ts';
import { keptAttributes } from './kept-call.ts';

export const recordingAttributes = {
  recording: z.optional(
    z.object({
      state: z.enum(['pending', 'stored', 'none', 'failed']),
      key: z.optional(z.string()),
      error: z.optional(z.string()),
      /** When it was settled. Absent while pending, and in calls from before this was stored. */
      at: z.optional(z.string()),
    }),
  ),
};

/** The part of a call that opens its recording. */
export const recordedCallSchema = z.object({ ...keptAttributes, ...recordingAttributes });
export type RecordedCall = Shown<z.infer<typeof recordedCallSchema>>;
