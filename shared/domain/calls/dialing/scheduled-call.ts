import type { Call } from '../call.ts';

/** A call that waits for its call window. */
export type ScheduledCall = Call & { status: 'scheduled'; scheduled_for: string; lead: NonNullable<Call['lead']> };

export const isScheduled = (call: Call | undefined): call is ScheduledCall =>
  call?.status === 'scheduled' && call.scheduled_for !== undefined && call.lead !== undefined;

/** Caps postponements so that a week-old lead is not called unexpectedly. */
const MAX_POSTPONEMENTS = 7;

export const mayPostpone = ({ postponements = 0 }: Pick<Call, 'postponements'>): boolean =>
  postponements < MAX_POSTPONEMENTS;
