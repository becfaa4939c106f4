import * as z from 'zod/mini';

const instant = z.string();

/** What people were told last about a subject by e-mail, or are being told (docs/notices.md, "Episodes"). */
export const noticeSchema = z.object({
  org_id: z.string(),
  /** `credit`, or `connection#` and an id. */
  subject: z.string(),
  about: z.enum(['trouble', 'recovery']),
  /** `open`: people are still to be told. */
  state: z.enum(['open', 'closed']),
  /** When telling began. */
  at: instant,
  /** Since when every run has seen the opposite of it. */
  changed_at: z.optional(instant),
  /** The people who have the e-mail. */
  reached: z.array(z.string()),
  /** Whether people have heard of the trouble, and not of its end. */
  is_known: z.boolean(),
  /** The tries after which an address had been refused. */
  tries: z.number(),
  /** Until then one worker tells people. */
  leased_until: z.optional(instant),
  /** After a failure: when the rest is told. */
  next_try_at: z.optional(instant),
  /** Counts the writes, so that only one of two workers goes on. */
  version: z.number(),
});

export type Notice = z.infer<typeof noticeSchema>;

export const CREDIT = 'credit';
export const subjectOf = (connectionId: string): string => `connection#${connectionId}`;
