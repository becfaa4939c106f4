import type { Call } from './call.ts';

export type ScheduledCall = Call & { status: 'scheduled'; scheduled_for: string; lead: NonNullable<Call['lead']> };

/** Whether a call waits for its call window. */
export const isScheduled = (call: Call | undefined): call is ScheduledCall =>
  call?.status === 'scheduled' && call.scheduled_for !== undefined && call.lead !== undefined;
