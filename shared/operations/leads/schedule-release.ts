import { isScheduled } from '../../domain/calls/dialing/scheduled-call.ts';
import { releaseMinute } from '../../domain/leads/release.ts';
import { secondsBetween } from '../../domain/time/instants.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import { releaseOf } from '../../messages/lead-release.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ScheduleReleaseDeps = {
  calls: Pick<CallStore, 'get'>;
  /**
   * Schedules this work for later. A second schedule of the same name is a no-op. The work is not yet a message for the
   * queue lead-events: EventBridge Scheduler gives such a message no group, so a morning's releases of one connection
   * would delay the leads of all others.
   */
  releaseAt: (at: Date, name: string, work: CallWork) => Promise<void>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'send'>;
  now: () => Date;
};

/** EventBridge Scheduler rejects past times, so nearer releases use the delay of the queue. */
const SOON_SECONDS = 60;

/**
 * Schedules the release of a call for the opening of its window, or sends it, in the group of its connection, if the
 * window opens now (docs/call-lifecycle.md, "Scheduled calls").
 * @returns the outcome, for the log
 */
export async function scheduleRelease(deps: ScheduleReleaseDeps, callId: string): Promise<string> {
  const call = await deps.calls.get(callId);
  if (!isScheduled(call)) return 'not_scheduled';
  const { call_id, scheduled_for } = call;
  const left = secondsBetween(deps.now(), scheduled_for);
  if (left < SOON_SECONDS) {
    await deps.leadQueue.send(releaseOf(call), Math.max(0, left));
    return 'release_sent';
  }
  await deps.releaseAt(new Date(scheduled_for), `${call_id}-${releaseMinute(scheduled_for)}`, { call_id });
  return 'release_scheduled';
}
