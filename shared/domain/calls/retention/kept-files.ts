import type { Shown } from '../../newer-values.ts';
import type { FileKind } from '../../organizations/retention.ts';
import { secondsAfter } from '../../time/instants.ts';
import type { Call } from '../call.ts';
import type { KeptCall } from '../parts/kept-call.ts';

type Kept = KeptCall & Pick<Shown<Call>, 'transcript_key' | 'lines_key' | 'recording'>;

const DAY_SECONDS = 86_400;

/**
 * The table removes a call later than readers stop finding it, so that an erasure still finds its files, which the
 * bucket removes within two days.
 */
export const REMOVED_LATER_SECONDS = 2 * DAY_SECONDS;

/** Returns when the table removes a call, in epoch seconds. @returns undefined if it is kept without limit */
export const callExpiry = (keep: Call['keep'], endedAt: string): number | undefined =>
  keep?.calls === undefined
    ? undefined
    : Math.floor(Date.parse(endedAt) / 1000) + keep.calls * DAY_SECONDS + REMOVED_LATER_SECONDS;

/** Returns whether a number of days has passed since an instant. @param days undefined means never. */
export const hasPassed = (days: number | undefined, since: string, now: Date): boolean =>
  days !== undefined && secondsAfter(since, days * DAY_SECONDS) <= now.toISOString();

/** Returns whether readers find a call: until its retention has passed, whether or not the table has removed it. */
export const isKept = ({ keep, ended_at }: KeptCall, now: Date): boolean =>
  ended_at === undefined || !hasPassed(keep?.calls, ended_at, now);

/**
 * Returns a call without the files whose retention has passed, whether or not the bucket has removed them: it does so
 * within two days (docs/personal-data.md, "Retention").
 */
export function withKeptFiles<Shown extends Kept>(call: Shown, now: Date): Shown {
  const { keep, ended_at } = call;
  if (!keep || ended_at === undefined) return call;
  const isOver = (days: number | undefined): boolean => hasPassed(days, ended_at, now);
  return {
    ...call,
    ...(isOver(keep.transcripts) && { transcript_key: undefined, lines_key: undefined }),
    ...(isOver(keep.recordings) && call.recording?.state === 'stored' && { recording: { state: 'none' } }),
  };
}

/** Returns whether a call still names files of a kind. */
export const namesFiles = ({ recording, transcript_key, lines_key }: Kept, kind: FileKind): boolean =>
  kind === 'recordings' ? recording?.state === 'stored' : transcript_key !== undefined || lines_key !== undefined;
