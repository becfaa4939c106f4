import { secondsBetween } from '../../time/instants.ts';
import { isRepeatDue } from '../../time/repeats.ts';
import type { Call } from '../call.ts';
import { nextTurnAt, type TurnKind } from './turn.ts';
import type { UnfinishedCall } from './unfinished-call.ts';

/** The step that advances a call without progress. */
export type RecoveryStep =
  | 'release'
  | 'expire'
  | 'give_back'
  | 'find'
  | 'read'
  | 'finish'
  | 'notify'
  | 'sync'
  | 'ticket';

/**
 * A call counts as stuck after this time without progress. Longer than any worker runs, so that recovery disturbs no
 * worker.
 */
export const STUCK_SECONDS = 3 * 60;

/** How long the platform may take after a call's end to complete its record and to send its report. */
export const HUNG_UP_SECONDS = 2 * 60;

type Known = Omit<UnfinishedCall, 'call_id' | 'org_id' | 'connection_id' | 'status' | 'created_at'>;

/** Decides which step advances a call. @returns undefined while the call may advance without help. */
export function recoveryStep(call: Known, now: Date): RecoveryStep | undefined {
  const isStuck = isPast(call.progress_at, STUCK_SECONDS, now);
  switch (call.unfinished) {
    case 'scheduled':
      return call.scheduled_for && isPast(call.scheduled_for, STUCK_SECONDS, now) ? 'release' : undefined;
    case 'waiting':
      return call.dial_by <= now.toISOString() ? 'expire' : undefined;
    case 'reserved':
      return isStuck ? 'give_back' : undefined;
    case 'claimed':
      if (!call.platform_id) return isStuck ? 'find' : undefined;
      if (call.hung_up_at && isPast(call.hung_up_at, HUNG_UP_SECONDS, now)) return 'read';
      return isStuck ? 'read' : undefined;
    case 'ended':
      if (!isStuck) return undefined;
      if (!call.finished_at) return 'finish';
      return [call.callback_status, call.analysis_callback].includes('pending') ? 'notify' : undefined;
    case undefined:
      return undefined;
  }
}

/**
 * Returns the steps that a call needs now. An ended call may need several: its receivers do not wait for each other.
 */
export function recoverySteps(call: Known, now: Date): RecoveryStep[] {
  const step = recoveryStep(call, now);
  return [
    ...(step ? [step] : []),
    ...(isTurnMissed(call, 'crm-b', now) ? ['sync' as const] : []),
    ...(isTurnMissed(call, 'help-desk', now) ? ['ticket' as const] : []),
  ];
}

/** Returns whether a turn is overdue because no worker took it. */
function isTurnMissed(call: Known, kind: TurnKind, now: Date): boolean {
  const dueAt = call.unfinished === 'ended' ? nextTurnAt(call, kind) : undefined;
  return dueAt !== undefined && [call.progress_at, dueAt].every((at) => isPast(at, STUCK_SECONDS, now));
}

/** Returns whether a call waits for a slot that it could use now. */
export const needsSlot = ({ unfinished, dial_after, dial_by }: Known, now: Date): boolean =>
  unfinished === 'waiting' && dial_after <= now.toISOString() && now.toISOString() < dial_by;

const LONGEST_REPEAT_SECONDS = 60 * 60;

/**
 * Returns whether recover-calls sends an ended call to finish-call once more: at growing intervals, but at least every
 * hour.
 */
export const isFinishMessageLost = (
  { ended_at, progress_at, finish_sent_at }: Pick<Call, 'ended_at' | 'progress_at' | 'finish_sent_at'>,
  now: Date,
): boolean => isRepeatDue(ended_at ?? progress_at, finish_sent_at, now, STUCK_SECONDS, LONGEST_REPEAT_SECONDS);

/**
 * Returns whether recover-calls sends the release of a scheduled call once more: at growing intervals, because the
 * message may wait in a long queue. Messages for an earlier `scheduled_for` do not count.
 */
export const isReleaseLost = (
  { scheduled_for, release_sent_at }: Pick<Call, 'release_sent_at'> & { scheduled_for: string },
  now: Date,
): boolean => isRepeatDue(scheduled_for, release_sent_at, now, STUCK_SECONDS, LONGEST_REPEAT_SECONDS);

/**
 * Returns whether recover-calls sends a finished call to finish-call: a late analysis attempt is due, or the call was
 * analyzed and has no client to notify. Repeats of one attempt are sent at growing intervals.
 */
export function isLateAnalysisDue(call: LateAnalysis, now: Date): boolean {
  const { finished_at, analysis_callback, callback_url, finish_sent_at: sentAt } = call;
  const dueAt = call.analysis_after ?? (callback_url === undefined ? finished_at : undefined);
  if (finished_at === undefined || analysis_callback !== 'pending' || dueAt === undefined) return false;
  if (now.toISOString() < dueAt) return false;
  return !sentAt || sentAt < dueAt || isRepeatDue(dueAt, sentAt, now, STUCK_SECONDS, LONGEST_REPEAT_SECONDS);
}

type LateAnalysis = Pick<
  Call,
  'finished_at' | 'analysis_callback' | 'analysis_after' | 'callback_url' | 'finish_sent_at'
>;

/** An instant that cannot be read counts as past, so that its call is read and reported. */
const isPast = (instant: string, seconds: number, now: Date): boolean => !(secondsBetween(instant, now) < seconds);
