import * as z from 'zod/mini';
import { leadSources } from '../connections/activity.ts';
import type { Shown } from '../newer-values.ts';
import { keyRequester, memberRequester } from '../organizations/requester.ts';

/** A lead event, and the person who retried or entered it. The rest of the lead is on the call. */
const leadPlacer = z.object({
  kind: z.literal('lead'),
  event_id: z.string(),
  source: z.enum(leadSources),
  /** A member's e-mail address, or an operator's name. */
  asked_by: z.optional(z.string()),
});

/** The source of a call (docs/tracing.md). */
export const placedBySchema = z.union([keyRequester, memberRequester, leadPlacer]);

export type PlacedBy = z.infer<typeof placedBySchema>;

/** The kinds that this version knows, with a lead event of any source. */
const shownSchema = z.union([keyRequester, memberRequester, z.extend(leadPlacer, { source: z.string() })]);

/**
 * Returns the source of a call as the dashboard shows it, without addresses; for a kind of a newer version, only the
 * name.
 */
export function viewPlacedBy(stored: Shown<PlacedBy> | undefined) {
  if (!stored) return null;
  const { data: by } = shownSchema.safeParse(stored);
  if (!by) return { kind: 'newer' as const, name: stored.kind };
  if (by.kind === 'lead') {
    const { kind, event_id, source, asked_by } = by;
    return { kind, event_id, source, asked_by: asked_by ?? null };
  }
  const { address: _, forwarded_for: __, ...shown } = by;
  return shown;
}
