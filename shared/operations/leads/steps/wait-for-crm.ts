import { cancelClaimKey } from '../../../domain/calls/dialing/cancel-claim.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { isDownForLong, pauseOf } from '../../../domain/connections/crm-breaker.ts';
import {
  earliestCatchUp,
  earliestUndelivered,
  isLeavingDue,
} from '../../../domain/connections/deliveries/watch-channel.ts';
import { crmRetryDelay, unlistedRetryDelay } from '../../../domain/leads/crm-retry.ts';
import { hasWaitedLong, waitEntryId } from '../../../domain/leads/long-wait.ts';
import type { Count } from '../../../domain/metric.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import { isAskedRetry, type LeadEvent, reportedAt } from '../../../messages/lead-event.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { ConnectionChannelStore } from '../../../stores/connections/connection-channels.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { MAX_DELAY_SECONDS, type QueueSender } from '../../../stores/queue.ts';
import { type EventEntryDeps, eventEntry } from './event-entry.ts';
import type { FetchedLead } from './fetch-lead.ts';

export type WaitForCrmDeps = RecordLongWaitDeps & {
  channels: Pick<ConnectionChannelStore, 'leaveToCatchUp'>;
  claims: Pick<ClaimStore, 'freeingTakenBefore'>;
  transact: Transact;
  leadQueue: Pick<QueueSender<LeadEvent>, 'send'>;
  count: Count;
};

/** `left`: the catch-up of the connection's gap queues the lead again. `given_up`: only a retry by a person does. */
export type Waiting = 'later' | 'left' | 'given_up';

/**
 * Decides about an event whose lead could not be fetched (docs/crm-b.md, "If CRM-B does not answer"): it is queued
 * again with a delay, left to the catch-up, or given up.
 * @throws if the connection was disconnected meanwhile; the queue delivers the event again
 */
export async function waitForCrm(
  deps: WaitForCrmDeps,
  event: LeadEvent,
  { connection, org }: { connection: Connection; org: Organization },
  fetched: FetchedLead,
  now: Date,
): Promise<Waiting> {
  const tries = (event.tries ?? 0) + 1;
  const delay = delayOf(event, fetched, tries, now);
  if (delay !== undefined) {
    await recordLongWait(deps, event, { connection, org }, now);
    await deps.leadQueue.send({ ...event, tries }, delay);
    return 'later';
  }
  const from = earliestUndelivered(new Date(event.changed_at ?? event.original_at ?? event.at));
  if (!mayBeLeft(event, connection, fetched, now) || from < earliestCatchUp(now)) {
    deps.count('LeadGivenUp');
    return 'given_up';
  }
  if (isAskedRetry(event)) await liftCancelation(deps, event);
  if (isLeavingDue(connection, from, now))
    await deps.channels.leaveToCatchUp(connection.connection_id, from, now.toISOString(), { isConnected: true });
  return 'left';
}

/**
 * Removes an earlier cancelation of the lead's call: the catch-up decides about the lead's change, not about the
 * request of the person who wants the lead to be called nevertheless.
 */
async function liftCancelation({ claims, transact }: WaitForCrmDeps, event: LeadEvent): Promise<void> {
  const { connection_id, lead } = event;
  if (lead.lead_id === undefined) return;
  const key = cancelClaimKey(connection_id, lead.lead_id);
  // A later cancelation stays.
  await transact({ claim: claims.freeingTakenBefore(key, reportedAt(event, undefined)) });
}

/** Returns the seconds to wait; undefined if the event no longer waits. */
function delayOf(event: LeadEvent, { isFinal, breaker }: FetchedLead, tries: number, now: Date): number | undefined {
  if (isFinal) return undefined;
  const mayBeListed = isListed(event);
  if (mayBeListed && isDownForLong(breaker, now)) return undefined;
  const delay = mayBeListed ? crmRetryDelay(tries) : unlistedRetryDelay(tries, secondsBetween(event.at, now));
  return delay && Math.min(MAX_DELAY_SECONDS, Math.max(delay, pauseOf(breaker, now)));
}

/**
 * Returns whether a catch-up could list the lead by its last change. Leads of the Sunday sweep have not changed, and
 * leads whose call has ended (`read_at`) changed before that end.
 */
const isListed = ({ sunday_rnr_retry, read_at }: LeadEvent): boolean => !sunday_rnr_retry && read_at === undefined;

/**
 * Returns whether a catch-up finds the lead. An event of a catch-up is left to the next one only if CRM-B answers no
 * request or needs a consent: a lead that fails alone would be queued again and again.
 */
function mayBeLeft(
  event: LeadEvent,
  { channel_check }: Connection,
  { needsConsent, breaker }: FetchedLead,
  now: Date,
): boolean {
  if (!isListed(event)) return false;
  const isDown = pauseOf(breaker, now) > 0 || channel_check?.status === 'unchecked';
  return event.source !== 'catch-up' || isDown || needsConsent === true;
}

export type RecordLongWaitDeps = EventEntryDeps & { activity: Pick<ActivityStore, 'record'> };

const WAITS = 'The CRM has not answered for an hour; the lead still waits for it.';

/**
 * Records once that an event has waited for its CRM for an hour. Its own entry follows when it is decided. Runs before
 * the event is queued again: if it fails, the queue repeats the event, which would otherwise exist twice.
 */
export async function recordLongWait(
  deps: RecordLongWaitDeps,
  event: LeadEvent,
  context: { connection: Connection; org: Organization },
  now: Date,
): Promise<void> {
  if (!hasWaitedLong(event.at, now)) return;
  const waiting = { ...event, event_id: waitEntryId(event.event_id) };
  const { retryable: _, ...entry } = eventEntry(deps, waiting, context, { outcome: 'crm_unavailable', reason: WAITS });
  await deps.activity.record(entry);
}
