import { secondsAfter } from '../time/instants.ts';
import type { Call } from './call.ts';

type Kept = Pick<Call, 'keep' | 'ended_at' | 'transcript_key' | 'lines_key' | 'recording'>;

const DAY_SECONDS = 86_400;

/**
 * Returns a call without the files whose retention has passed, whether or not the bucket has removed them: it does so
 * within two days (docs/personal-data.md, "Retention").
 */
export function withKeptFiles<Shown extends Kept>(call: Shown, now: Date): Shown {
  const { keep, ended_at } = call;
  if (!keep || ended_at === undefined) return call;
  const isOver = (days: number | undefined): boolean =>
    days !== undefined && secondsAfter(ended_at, days * DAY_SECONDS) <= now.toISOString();
  return {
    ...call,
    ...(isOver(keep.transcripts) && { transcript_key: undefined, lines_key: undefined }),
    ...(isOver(keep.recordings) && call.recording?.state === 'stored' && { recording: { state: 'none' } }),
  };
}
