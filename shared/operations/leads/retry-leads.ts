import type { ActivityEntry, Outcome } from '../../domain/connections/activity.ts';
import { type LeadEvent, leadEvent } from '../../messages/lead-event.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type RetryLeadsDeps = {
  activity: Pick<ActivityStore, 'listOfOutcome' | 'triesOf'>;
  leadQueue: QueueSender<LeadEvent>;
  now: () => Date;
};

/** The outcomes that somebody can do something about, after which the lead may be called. */
export const retryableOutcomes = ['insufficient_credits', 'crm_unavailable'] as const;

export const isRetryable = (outcome: Outcome): boolean => (retryableOutcomes as readonly Outcome[]).includes(outcome);

/** A try that came to one of these may come to another next time; everything else is about the lead, and stands. */
const passing: readonly Outcome[] = [...retryableOutcomes, 'auto_call_disabled', 'assistant_missing'];

/**
 * Queues the events of an outcome once more, unless a later try came to something that stands. A lead that has its call by
 * now gets none again: the call's id is the original event's, and so are the claims.
 * @param since ISO 8601. @returns how many leads were queued.
 */
export async function retryLeads(
  deps: RetryLeadsDeps,
  connectionId: string,
  { outcome, since }: { outcome: (typeof retryableOutcomes)[number]; since: string },
): Promise<number> {
  const entries = await deps.activity.listOfOutcome(connectionId, { since, outcome });
  const events = new Map(entries.flatMap(({ retryable }) => readEvent(retryable)));
  const at = deps.now().toISOString();
  const repeats: LeadEvent[] = [];
  for (const [origin, event] of events) {
    // Consistently: what was tried a moment ago counts.
    const tries = await deps.activity.triesOf(connectionId, origin);
    const last = lastTry(tries.filter(({ event_id }) => !isOfRelease(origin, event_id)));
    if (last && passing.includes(last.outcome)) repeats.push(repeatOf(event, numberOf(last) + 1, at));
  }
  await deps.leadQueue.sendMany(repeats);
  return repeats.length;
}

/** By its original event's id. One that an older version kept in another shape is left out. */
function readEvent(retryable: string | undefined): [string, LeadEvent][] {
  if (retryable === undefined) return [];
  const { data: event } = leadEvent.safeParse(JSON.parse(retryable));
  return event ? [[event.original_event_id ?? event.event_id, event]] : [];
}

/** What became of the call when its window opened is an event of its own, with tries of its own. */
const isOfRelease = (origin: string, eventId: string): boolean => eventId.startsWith(`${origin}.release.`);

const lastTry = (tries: readonly ActivityEntry[]): ActivityEntry | undefined =>
  [...tries].sort((one, other) => numberOf(one) - numberOf(other)).at(-1);

/** 0 for the event itself. */
const numberOf = ({ event_id }: Pick<ActivityEntry, 'event_id'>): number =>
  Number(/\.retry\.(\d+)$/.exec(event_id)?.[1] ?? 0);

/** The repeat's id follows from the event's and the number of the try, so that asking twice at once is one try more, not two. */
function repeatOf(event: LeadEvent, number: number, at: string): LeadEvent {
  const original_event_id = event.original_event_id ?? event.event_id;
  return {
    ...event,
    event_id: `${original_event_id}.retry.${number}`,
    original_event_id,
    original_at: event.original_at ?? event.at,
    source: 'retry',
    at,
  };
}
