import * as z from 'zod/mini';

/** The allowed retentions, in days. The bucket has a lifecycle rule for each. */
export const RETENTION_DAYS = [7, 30, 90, 180, 365, 730] as const;

/** The tag of an object with a retention. Its value is the number of days. */
export const RETENTION_TAG = 'retention-days';

/** The kinds of data with a retention (docs/personal-data.md, "Retention"). */
export const retentionKinds = ['recordings', 'transcripts', 'calls', 'activity'] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** The kinds whose files have a tag (docs/personal-data.md, "Retention"). */
export const fileKinds = ['recordings', 'transcripts'] as const;
export type FileKind = (typeof fileKinds)[number];

/**
 * Days from the end of a call, or for Activity from the event. An absent member means no limit, or 90 days for
 * Activity.
 */
export const retentionSchema = z.object({
  recordings: z.optional(z.number()),
  transcripts: z.optional(z.number()),
  calls: z.optional(z.number()),
  activity: z.optional(z.number()),
});
export type Retention = z.infer<typeof retentionSchema>;

/** An organization's setting for no limit, whatever the stage's default. */
export const UNLIMITED = 0;

/**
 * The longest time for Activity, which is also its default. Claims, which must outlive Activity, end after 92 days
 * (docs/personal-data.md, "Retention").
 */
export const ACTIVITY_DAYS = 90;

/** Lists the durations that a kind can have. */
export const retentionDaysOf = (kind: RetentionKind): readonly number[] =>
  kind === 'activity' ? RETENTION_DAYS.filter((days) => days <= ACTIVITY_DAYS) : RETENTION_DAYS;

const isKind = (text: string): text is RetentionKind => (retentionKinds as readonly string[]).includes(text);

/** The text for a stage without a default retention. */
export const NO_RETENTION = 'none';

/**
 * Reads the stage's default, such as `recordings=90,transcripts=365`, or `none`.
 * @throws if it names another kind or another duration.
 */
export function readRetention(text: string): Retention {
  if (text === NO_RETENTION) return {};
  const pairs = text.split(',').map((pair) => {
    const [kind = '', days, ...rest] = pair.split('=');
    if (!isKind(kind) || !retentionDaysOf(kind).includes(Number(days)) || rest.length > 0)
      throw new Error(
        `"${pair}" is not a retention: one of ${retentionKinds.join(', ')}, and one of ${RETENTION_DAYS.join(', ')} days ` +
          `(activity: ${ACTIVITY_DAYS} at most)`,
      );
    return [kind, Number(days)] as const;
  });
  return Object.fromEntries(pairs);
}

/** The retention settings of an organization. */
export type OwnRetention = { [Kind in RetentionKind as `retention_${Kind}`]?: number | undefined };

/**
 * Returns a call's retention: the organization's settings, otherwise the stage's defaults. Files are not kept longer
 * than their call.
 * @returns undefined if no data expires
 */
export function retentionOf(own: OwnRetention, defaults: Retention = {}): Retention | undefined {
  const kept: Retention = {};
  for (const kind of retentionKinds) {
    const days = own[`retention_${kind}`] ?? defaults[kind];
    if (days !== undefined && days !== UNLIMITED) kept[kind] = days;
  }
  const { calls } = kept;
  if (calls !== undefined) for (const kind of fileKinds) kept[kind] = Math.min(kept[kind] ?? calls, calls);
  return Object.keys(kept).length > 0 ? kept : undefined;
}
