import { isScheduled } from '../../domain/calls/scheduled-call.ts';
import { releaseMinute } from '../../domain/leads/release.ts';
import { secondsBetween } from '../../domain/time/instants.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import { releaseOf } from '../../messages/lead-release.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ScheduleReleaseDeps = {
  calls: Pick<CallStore, 'get'>;
  /** Puts a message on the leads queue at a time; twice under one name is once. */
  releaseAt: (at: Date, name: string, event: LeadEvent) => Promise<void>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'send'>;
  now: () => Date;
};

/** EventBridge Scheduler takes no time that has passed: nearer ones go by the queue's own delay. */
const SOON_SECONDS = 60;

/**
 * Sees to it that a scheduled call is released when its window opens (docs/call-lifecycle.md, "Scheduled calls").
 * @returns a word for the log.
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
  await deps.releaseAt(new Date(scheduled_for), `${call_id}-${releaseMinute(scheduled_for)}`, releaseOf(call));
  return 'release_scheduled';
}
