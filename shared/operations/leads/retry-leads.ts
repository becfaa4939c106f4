import { type Outcome, type RetryableOutcome, retryableOutcomes } from '../../domain/connections/activity.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import { matchesTests, type TestChoice } from '../../domain/leads/lead-event-filter.ts';
import { type Actor, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import { type LeadEvent, leadEvent, originalEventId } from '../../messages/lead-event.ts';
import { nextTryOf, tryNumberOf } from '../../messages/lead-retry.ts';
import type { ActivityStore, EntryPosition, StoredEntry } from '../../stores/connections/activity.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type AuditedChangeDeps, audited } from '../organizations/steps/audited-change.ts';

export type RetryLeadsDeps = AuditedChangeDeps & {
  activity: Pick<ActivityStore, 'pageOfOutcome' | 'triesOf'>;
  leadQueue: QueueSender<LeadEvent>;
};

/** The events to retry: those with an outcome, in a period (ISO 8601, both inclusive). */
export type LeadRetry = {
  outcome: RetryableOutcome;
  since: string;
  until?: string | undefined;
  /** Whether to retry only test events (`only`) or only real ones (`none`); absent for both. */
  tests?: TestChoice | undefined;
};

type OfConnection = Pick<Connection, 'connection_id' | 'org_id' | 'type'>;

/** Outcomes that another try may change. Every other outcome, including one of a newer version, is final. */
const transient = [...retryableOutcomes, 'auto_call_disabled', 'assistant_missing'] satisfies Outcome[] as string[];

/** The maximum that one request reads and queues, so that it answers soon. */
const READ_AT_ONCE = 200;
const MAX_READS = 5;
const MAX_EVENTS = 50;

/**
 * Queues events of an outcome again, unless a later try has reached a final outcome. A retry shares the call id and the
 * claims of the original event, so a lead that has been called is not called again. The audit entry is written first.
 * @param after the `next` of the previous slice
 * @returns the number of queued leads, and where the rest begins; absent at the end
 */
export async function retryLeads(
  deps: RetryLeadsDeps,
  actor: Actor,
  connection: OfConnection,
  retry: LeadRetry,
  after?: EntryPosition,
): Promise<{ queued: number; next?: EntryPosition }> {
  const { connection_id, org_id, type } = connection;
  const { entries, next } = await readSlice(deps, connection_id, retry, after);
  const at = deps.now().toISOString();
  const retries: LeadEvent[] = [];
  for (const entry of entries) {
    const event = readEvent(entry);
    const found = event && (await retryOfEntry(deps, entry, event, retry, { by: actor, at }));
    if (found) retries.push(found);
  }
  if (retries.length > 0) {
    const thing = { id: connection_id, name: type };
    const done = { ...retry, leads: retries.length };
    await deps.transact({ audit: audited(deps, { org_id, actor, action: 'leads.retried', thing, after: done }) });
    await deps.leadQueue.sendMany(retries);
  }
  return { queued: retries.length, ...(next && { next }) };
}

/** Retries all events of an outcome. @returns the number of queued leads */
export async function retryAllLeads(...[deps, actor, connection, retry]: RetryArguments): Promise<number> {
  let all = 0;
  for (let after: EntryPosition | undefined; ; ) {
    const { queued, next } = await retryLeads(deps, actor, connection, retry, after);
    all += queued;
    if (!next) return all;
    after = next;
  }
}

type RetryArguments = [deps: RetryLeadsDeps, actor: Actor, connection: OfConnection, retry: LeadRetry];

/** Reads entries of the outcome, oldest first, until a slice is full. */
async function readSlice(
  { activity }: Pick<RetryLeadsDeps, 'activity'>,
  connectionId: string,
  retry: LeadRetry,
  after: EntryPosition | undefined,
): Promise<{ entries: StoredEntry[]; next?: EntryPosition }> {
  const entries: StoredEntry[] = [];
  let last = after;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const page = await activity.pageOfOutcome(connectionId, retry, { limit: READ_AT_ONCE, after: last });
    for (const entry of page.items.filter((one) => matchesTests(one, retry.tests))) {
      entries.push(entry);
      if (entries.length === MAX_EVENTS) return { entries, next: positionOf(entry) };
    }
    if (!page.last) return { entries };
    last = positionOf(page.last);
  }
  return { entries, ...(last && { next: last }) };
}

const positionOf = ({ at, event_id }: EntryPosition): EntryPosition => ({ at, event_id });

/**
 * Returns the retry of an entry's event. An event with several entries of the outcome is retried only for the first of
 * its tries, even if the others are in other slices.
 */
async function retryOfEntry(
  { activity }: Pick<RetryLeadsDeps, 'activity'>,
  entry: StoredEntry,
  event: LeadEvent,
  { outcome, since, until = '9999' }: LeadRetry,
  requested: { by: Actor; at: string },
): Promise<LeadEvent | undefined> {
  const origin = originalEventId(event);
  // A consistent read, so that the latest try counts.
  const entries = await activity.triesOf(entry.connection_id, origin);
  const tries = triesIn(origin, entries);
  const first = tries.find((one) => one.outcome === outcome && one.at >= since && one.at <= until && readEvent(one));
  const last = entries.some((one) => isCallEntry(origin, one)) ? undefined : tries.at(-1);
  if (first?.event_id !== entry.event_id || !last || !transient.includes(last.outcome)) return undefined;
  const { by, at } = requested;
  return { ...nextTryOf(event, tryNumberOf(last) + 1), asked_by: actorName(by), asked_at: at, at };
}

/** Parses the stored event of an entry. Events in the format of an older version are skipped. */
const readEvent = ({ retryable }: StoredEntry): LeadEvent | undefined =>
  retryable === undefined ? undefined : leadEvent.safeParse(JSON.parse(retryable)).data;

/**
 * Returns whether an entry is about the event's call. An event with a call is not retried: retrying the call is another
 * event.
 */
const isCallEntry = (origin: string, { event_id }: StoredEntry): boolean =>
  /^\.dial(\.\d[^.]*\.\d+Z)?$/.test(event_id.slice(origin.length));

/** Returns the event's tries in order. A release is a separate event with its own tries. */
const triesIn = (origin: string, entries: readonly StoredEntry[]): StoredEntry[] =>
  entries
    .filter(({ event_id }) => /^(\.retry\.\d+)?$/.test(event_id.slice(origin.length)))
    .sort((one, other) => tryNumberOf(one) - tryNumberOf(other));
