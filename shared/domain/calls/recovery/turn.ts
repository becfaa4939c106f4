import type { Shown } from '../../newer-values.ts';
import { isRepeatDue } from '../../time/repeats.ts';
import type { Call } from '../call.ts';

/**
 * Work on a finished call that one worker does at a time, and the call's attributes that store it: whether work is
 * left, when the next worker may take the turn, why the work is not done yet, and when recover-calls last sent a turn's
 * message.
 */
export const turnAttributes = {
  'crm-b': { work: 'crm_b_sync', after: 'crm_b_sync_after', error: 'crm_b_sync_error', sent: 'crm_b_sync_sent_at' },
  'help-desk': { work: 'ticket_work', after: 'ticket_after', error: 'ticket_error', sent: 'ticket_sent_at' },
} as const satisfies Record<string, Record<'work' | 'after' | 'error' | 'sent', keyof Call>>;

export const turnKinds = ['crm-b', 'help-desk'] as const satisfies (keyof typeof turnAttributes)[];

export type TurnKind = (typeof turnKinds)[number];

/** Longer than the functions may run, so that two workers never write for the same call at once. */
export const TURN_SECONDS = 90;

type TurnsOfCall = Pick<Shown<Call>, 'finished_at' | (typeof turnAttributes)[TurnKind]['work' | 'after']>;

/** Returns when a worker may take the next turn; undefined if the call is not finished or no work is left. */
export function nextTurnAt(call: TurnsOfCall, kind: TurnKind): string | undefined {
  const { work, after } = turnAttributes[kind];
  if (!call.finished_at || call[work] !== 'pending') return undefined;
  return call[after] ?? call.finished_at;
}

const OVERDUE_SECONDS = 3 * 60;

/** Returns whether the message of a turn that is due seems lost, so that recover-calls sends another one. */
export function isTurnMessageLost(call: Call, kind: TurnKind, now: Date): boolean {
  const dueAt = nextTurnAt(call, kind);
  return dueAt !== undefined && isRepeatDue(dueAt, call[turnAttributes[kind].sent], now, OVERDUE_SECONDS);
}
