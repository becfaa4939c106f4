import * as z from 'zod/mini';
import { istDay } from '../time/ist-day.ts';
import type { Grant } from './access/grant.ts';

/** A Sunday sweep that was not completed, because CRM-B did not answer or the run had no time left. */
export const missedSweepSchema = z.object({
  at: z.string(),
  /** When its leads were given up. The record then stays so that people see it, until the next sweep. */
  given_up_at: z.optional(z.string()),
  /** The point up to which the leads are queued. It is valid for one grant and one revision of the settings. */
  queued: z.optional(z.object({ up_to: z.string(), grant_id: z.string(), revision: z.optional(z.number()) })),
});

export type MissedSweep = z.infer<typeof missedSweepSchema>;

/** The members of a connection on which the selection of leads depends. */
type Selecting = { grant: Grant; revision?: number | undefined };

/** How long the leads of a sweep wait for CRM-B: until Sunday evening. */
export const SWEEP_WAIT_SECONDS = 12 * 60 * 60;

/** So many ids share a point that it identifies no lead, because the record may outlive an erasure of the lead. */
const IDS_PER_POINT = 1_000n;

/** Makes the record of a missed sweep. @param after the id of the last queued lead; undefined if no lead is queued */
export function missedSweep({ grant, revision }: Selecting, at: string, after?: string): MissedSweep {
  if (after === undefined) return { at };
  const up_to = String(BigInt(after) - (BigInt(after) % IDS_PER_POINT));
  return { at, queued: { up_to, grant_id: grant.id, ...(revision !== undefined && { revision }) } };
}

/** Returns whether the leads of the sweep of an IST day, or of a later one, are still to be queued. */
export const isSweepDue = (missed: MissedSweep | undefined, day: string): boolean =>
  missed !== undefined && missed.given_up_at === undefined && istDay(new Date(missed.at)) >= day;

/** Returns the id after which the sweep continues; undefined if it begins with the first lead. */
export function sweptUpTo({ queued }: MissedSweep, { grant, revision }: Selecting): string | undefined {
  return queued?.grant_id === grant.id && queued.revision === revision ? queued.up_to : undefined;
}
