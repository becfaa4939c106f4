import * as z from 'zod/mini';

/** The durations, in days, for which files can be kept. The bucket has a lifecycle rule for each. */
export const RETENTION_DAYS = [7, 30, 90, 180, 365, 730] as const;

/** The tag of an object that is kept for a time. Its value is the number of days. */
export const RETENTION_TAG = 'retention-days';

/** What can be kept for a time (docs/personal-data.md, "Retention"). */
export const retentionKinds = ['recordings', 'transcripts'] as const;

/** Days from the end of a call; without a member, for good. */
export const retentionSchema = z.object({
  recordings: z.optional(z.number()),
  transcripts: z.optional(z.number()),
});
export type Retention = z.infer<typeof retentionSchema>;

/** An organization's own setting for good, whatever the stage's default is. */
export const FOR_GOOD = 0;

export const isRetentionDays = (days: number): boolean => (RETENTION_DAYS as readonly number[]).includes(days);

/**
 * Reads the stage's default, such as `recordings=90,transcripts=365`.
 * @throws if it names another kind or another duration.
 */
export function readRetention(text: string): Retention {
  const pairs = text.split(',').map((pair) => {
    const [kind = '', days, ...rest] = pair.split('=');
    const isKnown = (retentionKinds as readonly string[]).includes(kind) && isRetentionDays(Number(days));
    if (!isKnown || rest.length > 0)
      throw new Error(
        `"${pair}" is no retention: ${retentionKinds.join(' or ')}, and one of ${RETENTION_DAYS.join(', ')} days`,
      );
    return [kind, Number(days)] as const;
  });
  return Object.fromEntries(pairs);
}

type Own = { retention_recordings?: number | undefined; retention_transcripts?: number | undefined };

/**
 * Returns how long what belongs to a call is kept: by the organization's settings, else by the stage's defaults.
 * @returns undefined if all of it is kept for good.
 */
export function retentionOf(own: Own, defaults: Retention = {}): Retention | undefined {
  const days = {
    recordings: own.retention_recordings ?? defaults.recordings,
    transcripts: own.retention_transcripts ?? defaults.transcripts,
  };
  const limited = Object.entries(days).filter(([, value]) => value !== undefined && value !== FOR_GOOD);
  return limited.length > 0 ? Object.fromEntries(limited) : undefined;
}
