import { type FileKind, fileKinds, type Retention, retentionKinds } from '../../organizations/retention.ts';
import type { Call } from '../call.ts';
import { isTerminal } from '../call-status.ts';
import { callExpiry, hasPassed, isKept, REMOVED_LATER_SECONDS } from './kept-files.ts';

/** The effect of applying a retention to a call (docs/personal-data.md, "Retention of earlier calls"). */
export type RetentionDecision =
  /** It has not ended, or a worker may still store its files. */
  | { kind: 'under_way' }
  /** Its retention has passed: readers no longer find it, and it cannot be restored. */
  | { kind: 'over' }
  | { kind: 'same' }
  | {
      kind: 'change';
      keep: Retention | undefined;
      /** The files whose tags change; absent if only Activity changes. */
      keep_untagged?: FileKind[];
      /**
       * The files whose retention has passed: the bucket removes them, and a longer retention does not restore them.
       */
      isGone: Record<FileKind, boolean>;
      /** Whether readers no longer find the call. */
      isOver: boolean;
    };

/** Decides what a retention changes in a call. @param keep undefined keeps it for good. */
export function decideRetention(call: Call, keep: Retention | undefined, now: Date): RetentionDecision {
  if (!isTerminal(call.status) || call.unfinished !== undefined || call.ended_at === undefined)
    return { kind: 'under_way' };
  if (!isKept(call, now)) return { kind: 'over' };
  const changed = retentionKinds.filter((kind) => call.keep?.[kind] !== keep?.[kind]);
  if (changed.length === 0) return { kind: 'same' };
  const isOver = !isKept({ ...call, keep }, now);
  const { ended_at } = call;
  const isGone = (kind: FileKind): boolean => hasPassed(call.keep?.[kind], ended_at, now);
  return {
    kind: 'change',
    keep,
    ...(changed.some((kind) => kind !== 'activity') && {
      keep_untagged: fileKinds.filter((kind) => changed.includes(kind) && !isGone(kind)),
    }),
    isGone: { recordings: isGone('recordings'), transcripts: isGone('transcripts') },
    isOver,
  };
}

/**
 * Returns when the table removes a call whose files were just tagged, in epoch seconds: after the bucket has removed
 * the files.
 * @returns undefined if it is kept for good.
 */
export function appliedExpiry({ keep, ended_at, finished_at }: Call, now: Date): number | undefined {
  // Files are stored until the call is finished.
  const expiry = callExpiry(keep, finished_at ?? ended_at ?? now.toISOString());
  return expiry === undefined ? undefined : Math.max(expiry, Math.floor(now.getTime() / 1000) + REMOVED_LATER_SECONDS);
}
