import { secondsBetween } from '../time/instants.ts';
import type { Call } from './call.ts';
import { nextTurnAt, type TurnKind } from './turn.ts';

/** What brings a call forward that has not moved by itself. */
export type RecoveryStep = 'release' | 'expire' | 'dial' | 'find' | 'read' | 'finish' | 'notify' | 'sync' | 'ticket';

/** A call without progress for this long is looked at; longer than any worker runs, so that none is disturbed. */
export const STILL_SECONDS = 3 * 60;
/** How long a platform may take after the end of a call until its record is complete and its report has come. */
export const HUNG_UP_SECONDS = 2 * 60;

/** Two complete looks at the platform prove an absence only this far apart: it lists calls some seconds late. */
export const LOOKS_APART_SECONDS = 60;

/** The platform lists by its own clock. */
export const LOOK_BACK_SECONDS = 2 * 60;

/** A dial request that is not there this long after its claim never was: the request itself is bounded in seconds. */
export const LOOK_AHEAD_SECONDS = 10 * 60;

/** An accepted call that the platform does not know is lost this long after its longest possible end. */
const LOST_AFTER_SECONDS = 60 * 60;

type Known = Pick<
  Call,
  | 'unfinished'
  | 'progress_at'
  | 'scheduled_for'
  | 'dial_by'
  | 'dial_after'
  | 'dial_claimed_at'
  | 'platform_id'
  | 'hung_up_at'
  | 'finished_at'
  | 'callback_status'
  | 'crm_b_sync'
  | 'crm_b_sync_after'
  | 'ticket_work'
  | 'ticket_after'
>;

/** @returns the step that an unfinished call needs, or undefined while it may move by itself. */
export function recoveryStep(call: Known, now: Date): RecoveryStep | undefined {
  const still = secondsBetween(call.progress_at, now) >= STILL_SECONDS;
  switch (call.unfinished) {
    case 'scheduled':
      return call.scheduled_for && secondsBetween(call.scheduled_for, now) >= STILL_SECONDS ? 'release' : undefined;
    case 'waiting':
      if (call.dial_by <= now.toISOString()) return 'expire';
      return still && secondsBetween(call.dial_after, now) >= STILL_SECONDS ? 'dial' : undefined;
    case 'claimed':
      if (!call.platform_id) return still ? 'find' : undefined;
      if (call.hung_up_at && secondsBetween(call.hung_up_at, now) >= HUNG_UP_SECONDS) return 'read';
      return still ? 'read' : undefined;
    case 'ended':
      if (!still) return undefined;
      if (!call.finished_at) return 'finish';
      return call.callback_status === 'pending' ? 'notify' : undefined;
    case undefined:
      return undefined;
  }
}

/** All that an ended call may need: neither its client nor CRM-B nor the help desk waits for the others. */
export function recoverySteps(call: Known, now: Date): RecoveryStep[] {
  const step = recoveryStep(call, now);
  return [
    ...(step ? [step] : []),
    ...(isTurnMissed(call, 'crm-b', now) ? ['sync' as const] : []),
    ...(isTurnMissed(call, 'help-desk', now) ? ['ticket' as const] : []),
  ];
}

/** Whether no worker has taken a turn that is overdue. */
function isTurnMissed(call: Known, kind: TurnKind, now: Date): boolean {
  const dueAt = call.unfinished === 'ended' ? nextTurnAt(call, kind) : undefined;
  return dueAt !== undefined && [call.progress_at, dueAt].every((at) => secondsBetween(at, now) >= STILL_SECONDS);
}

/** Whether a call that the platform does not know can be given up. */
export const isLost = (
  call: Pick<Call, 'dial_claimed_at' | 'progress_at' | 'max_duration_seconds'>,
  now: Date,
): boolean =>
  secondsBetween(call.dial_claimed_at ?? call.progress_at, now) >= call.max_duration_seconds + LOST_AFTER_SECONDS;
