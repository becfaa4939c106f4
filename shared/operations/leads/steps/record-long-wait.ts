import type { Connection } from '../../../domain/connections/connection.ts';
import { hasWaitedLong, waitEntryId } from '../../../domain/leads/long-wait.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import { type EventEntryDeps, eventEntry } from './event-entry.ts';

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
