import * as z from 'zod/mini';
import { retentionSchema } from '../../organizations/retention.ts';

/** The attributes of a call that decide how long readers find it and its files. */
export const keptAttributes = {
  /** The retention of the call, its files and its Activity; absent for no limit. */
  keep: z.optional(retentionSchema),
  ended_at: z.optional(z.string()),
};

export type KeptCall = z.infer<z.ZodMiniObject<typeof keptAttributes>>;
