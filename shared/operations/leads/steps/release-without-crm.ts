import type { ScheduledCall } from '../../../domain/calls/dialing/scheduled-call.ts';
import { STUCK_SECONDS } from '../../../domain/calls/recovery/recovery.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { mayReleaseWait, releaseRetryDelay } from '../../../domain/leads/crm-retry.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { type CallWindow, openingAfter, openingAt } from '../../../domain/time/call-window.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { cancelUnreleasedCall } from './cancel-unreleased-call.ts';
import type { FetchedLead } from './fetch-lead.ts';
import { type PostponeScheduledCallDeps, postponeScheduledCall } from './postpone-scheduled-call.ts';
import { type RecordLongWaitDeps, recordLongWait } from './wait-for-crm.ts';

export type ReleaseWithoutCrmDeps = PostponeScheduledCallDeps &
  RecordLongWaitDeps & {
    activity: Pick<ActivityStore, 'adding' | 'record'>;
    leadQueue: QueueSender<LeadEvent>;
  };

const NO_CRM = 'The lead could not be fetched from the CRM; the call waits for the next call window.';

/** A release at its time, with the connection and the organization of its call. */
type DueRelease = {
  call: ScheduledCall;
  window: CallWindow | undefined;
  connection: Connection;
  org: Organization;
  now: Date;
};

/**
 * Repeats the release while the CRM is unavailable: with growing delays for half an hour, then every 15 minutes until
 * the window closes, for 12 hours at most. Then it postpones the call to its next window, or cancels it without one.
 * recover-calls sends the same release with growing intervals. Such a late release starts no delays of its own: while
 * delays may be in progress, it only records a long wait, and after them it postpones the call at once.
 * @returns the outcome, for the log
 */
export async function releaseWithoutCrm(
  deps: ReleaseWithoutCrmDeps,
  event: LeadEvent,
  { isFinal, notFetched }: FetchedLead,
  { call, window, now, ...context }: DueRelease,
): Promise<string> {
  const tries = (event.tries ?? 0) + 1;
  const overdue = secondsBetween(call.scheduled_for, now);
  const current = openingAt(window, now);
  const left = current?.isOpen ? secondsBetween(now, current.to) : 0;
  const isOver = event.tries === undefined && !mayReleaseWait(overdue, left);
  const delay = isFinal || isOver ? undefined : releaseRetryDelay(tries, overdue, left);
  if (delay !== undefined) {
    await recordLongWait(deps, event, context, now);
    if (event.tries !== undefined || overdue < STUCK_SECONDS) await deps.leadQueue.send({ ...event, tries }, delay);
    return 'crm_unavailable_for_now';
  }
  const outcome = 'crm_unavailable';
  const opening = openingAfter(window, now);
  if (!opening) return cancelUnreleasedCall(deps, call, { outcome, reason: notFetched?.reason ?? NO_CRM });
  const to = { opening, phone: call.phone_number, reason: NO_CRM, outcomeIfTooOften: outcome } as const;
  return postponeScheduledCall(deps, call, to, now);
}
