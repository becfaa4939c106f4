import { isScheduled, releaseMinute } from '../domain/release.ts';
import type { LeadEvent } from '../messages/lead-event.ts';
import { releaseOf } from '../messages/lead-release.ts';
import type { CallStore } from '../stores/calls.ts';

export type ScheduleReleaseDeps = {
  calls: Pick<CallStore, 'get'>;
  /** Puts a message on the leads queue at a time; twice under one name is once. */
  releaseAt: (at: Date, name: string, event: LeadEvent) => Promise<void>;
};

/**
 * Sees to it that a scheduled call is released when its window opens (docs/call-lifecycle.md, "Scheduled calls").
 * @returns a word for the log.
 */
export async function scheduleRelease(deps: ScheduleReleaseDeps, callId: string): Promise<string> {
  const call = await deps.calls.get(callId);
  if (!isScheduled(call)) return 'not_scheduled';
  const { call_id, scheduled_for } = call;
  await deps.releaseAt(new Date(scheduled_for), `${call_id}-${releaseMinute(scheduled_for)}`, releaseOf(call));
  return 'release_scheduled';
}
