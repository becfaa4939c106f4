import * as z from 'zod/mini';

const instant = z.string();

/** The last e-mail notice about a subject, sent or being sent (docs/notices.md, "Episodes"). */
export const noticeSchema = z.object({
  org_id: z.string(),
  /** `credit`, or `connection#` and an id. */
  subject: z.string(),
  about: z.enum(['trouble', 'recovery']),
  /** `open`: not sent to everyone yet. */
  state: z.enum(['open', 'closed']),
  /** When sending began. */
  at: instant,
  /** The time since which every run has observed the opposite. */
  changed_at: z.optional(instant),
  /** The recipients so far. */
  reached: z.array(z.string()),
  /** Whether people were notified of the problem, but not of its end. */
  is_known: z.boolean(),
  /** The number of tries in which an address was refused. */
  tries: z.number(),
  /** The end of the sending worker's lease. */
  leased_until: z.optional(instant),
  /** After a failure: when the other e-mails are sent. */
  next_try_at: z.optional(instant),
  /** Counts the writes, so that only one of two workers continues. */
  version: z.number(),
});

export type Notice = z.infer<typeof noticeSchema>;

export const CREDIT = 'credit';
export const subjectOf = (connectionId: string): string => `connection#${connectionId}`;
