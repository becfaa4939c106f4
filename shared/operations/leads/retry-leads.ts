import {
  type ActivityEntry,
  type Outcome,
  type RetryableOutcome,
  retryableOutcomes,
} from '../../domain/connections/activity.ts';
import { type LeadEvent, leadEvent, originalEventId } from '../../messages/lead-event.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type RetryLeadsDeps = {
  activity: Pick<ActivityStore, 'listOfOutcome' | 'triesOf'>;
  leadQueue: QueueSender<LeadEvent>;
  now: () => Date;
};

/** Outcomes that another try may change. Every other outcome is a property of the lead and final. */
const transient: readonly Outcome[] = [...retryableOutcomes, 'auto_call_disabled', 'assistant_missing'];

/**
 * Queues the events of an outcome again, unless a later try has reached a final outcome. A retry shares the call id and
 * the claims of the original event, so a lead that has its call gets no second one.
 * @param since ISO 8601
 * @returns the number of queued leads
 */
export async function retryLeads(
  deps: RetryLeadsDeps,
  connectionId: string,
  { outcome, since }: { outcome: RetryableOutcome; since: string },
): Promise<number> {
  const entries = await deps.activity.listOfOutcome(connectionId, { since, outcome });
  const events = new Map(entries.flatMap(({ retryable }) => readEvent(retryable)));
  const at = deps.now().toISOString();
  const retries: LeadEvent[] = [];
  for (const [origin, event] of events) {
    // A consistent read, so that the most recent try counts.
    const tries = await deps.activity.triesOf(connectionId, origin);
    const last = tries.some((entry) => isOfCallOf(origin, entry)) ? undefined : lastTry(origin, tries);
    if (last && transient.includes(last.outcome)) retries.push(retryOf(event, numberOf(last) + 1, at));
  }
  await deps.leadQueue.sendMany(retries);
  return retries.length;
}

/** Parses a stored event, keyed by its original event's id. Events in the format of an older version are skipped. */
function readEvent(retryable: string | undefined): [string, LeadEvent][] {
  if (retryable === undefined) return [];
  const { data: event } = leadEvent.safeParse(JSON.parse(retryable));
  return event ? [[originalEventId(event), event]] : [];
}

/** Returns whether the event has had its call: such an entry is about the call, and its retry is another event. */
const isOfCallOf = (origin: string, { event_id }: ActivityEntry): boolean =>
  /^\.dial(\.\d[^.]*\.\d+Z)?$/.test(event_id.slice(origin.length));

/** Returns the event's last try. A release is a separate event with tries of its own. */
const lastTry = (origin: string, entries: readonly ActivityEntry[]): ActivityEntry | undefined =>
  entries
    .filter(({ event_id }) => /^(\.retry\.\d+)?$/.test(event_id.slice(origin.length)))
    .sort((one, other) => numberOf(one) - numberOf(other))
    .at(-1);

/** Returns the number of the try; 0 for the event itself. */
const numberOf = ({ event_id }: Pick<ActivityEntry, 'event_id'>): number =>
  Number(/\.retry\.(\d+)$/.exec(event_id)?.[1] ?? 0);

/** Derives the id from the event and the number of the try, so that two simultaneous commands make one try. */
function retryOf(event: LeadEvent, number: number, at: string): LeadEvent {
  const original_event_id = originalEventId(event);
  return {
    ...event,
    event_id: `${original_event_id}.retry.${number}`,
    original_event_id,
    original_at: event.original_at ?? event.at,
    source: 'retry',
    at,
  };
}
