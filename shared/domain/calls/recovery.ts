import { secondsBetween } from '../time/instants.ts';
import type { UnfinishedCall } from './unfinished-call.ts';

/** The step that advances a call without progress. */
export type RecoveryStep = 'release' | 'expire' | 'dial' | 'find' | 'read' | 'finish' | 'notify' | 'sync' | 'ticket';

/** A call is still after this long without progress. Longer than any worker runs, so that recovery disturbs none. */
export const STILL_SECONDS = 3 * 60;

/** How long the platform may take after a call's end to complete its record and to send its report. */
export const HUNG_UP_SECONDS = 2 * 60;

type Known = Omit<UnfinishedCall, 'call_id' | 'org_id' | 'connection_id' | 'status' | 'created_at'>;

/** @returns undefined while the call may advance without help. */
export function recoveryStep(call: Known, now: Date): RecoveryStep | undefined {
  const isStill = isPast(call.progress_at, STILL_SECONDS, now);
  switch (call.unfinished) {
    case 'scheduled':
      return call.scheduled_for && isPast(call.scheduled_for, STILL_SECONDS, now) ? 'release' : undefined;
    case 'waiting':
      if (call.dial_by <= now.toISOString()) return 'expire';
      return isStill && isPast(call.dial_after, STILL_SECONDS, now) ? 'dial' : undefined;
    case 'claimed':
      if (!call.platform_id) return isStill ? 'find' : undefined;
      if (call.hung_up_at && isPast(call.hung_up_at, HUNG_UP_SECONDS, now)) return 'read';
      return isStill ? 'read' : undefined;
    case 'ended':
      if (!isStill) return undefined;
      if (!call.finished_at) return 'finish';
      return call.callback_status === 'pending' ? 'notify' : undefined;
    case undefined:
      return undefined;
  }
}

/**
 * @returns the steps that a call needs now. An ended call may need several: none of its receivers waits for another.
 */
export function recoverySteps(call: Known, now: Date): RecoveryStep[] {
  const step = recoveryStep(call, now);
  return [
    ...(step ? [step] : []),
    ...(isOverdue(call, now, call.crm_b_sync, call.crm_b_sync_after) ? ['sync' as const] : []),
    ...(isOverdue(call, now, call.ticket_work, call.ticket_after) ? ['ticket' as const] : []),
  ];
}

/** Whether a write to a remote system is left, and its worker did not come. @param after when its next try is due. */
function isOverdue(
  { unfinished, finished_at, progress_at }: Known,
  now: Date,
  work: 'pending' | 'done' | undefined,
  after: string | undefined,
): boolean {
  if (unfinished !== 'ended' || !finished_at || work !== 'pending') return false;
  return [progress_at, after ?? progress_at].every((since) => isPast(since, STILL_SECONDS, now));
}

const isPast = (instant: string, seconds: number, now: Date): boolean => secondsBetween(instant, now) >= seconds;
