import { type LeadEvent, leadEvent } from '../messages/lead-event.ts';
import type { ActivityStore } from '../stores/activity.ts';
import type { QueueSender } from '../stores/queue.ts';

export type RetryLeadsDeps = {
  activity: Pick<ActivityStore, 'list'>;
  leads: QueueSender<LeadEvent>;
  now: () => Date;
};

/** The outcomes that somebody can do something about, after which the lead may be called. */
export const retryableOutcomes = ['insufficient_credits'] as const;

/**
 * Queues the events of an outcome once more. A lead that has its call by now gets none again: the call's id is the original
 * event's, and so are the claims.
 * @param since ISO 8601. @returns how many leads were queued.
 */
export async function retryLeads(
  deps: RetryLeadsDeps,
  connectionId: string,
  { outcome, since }: { outcome: (typeof retryableOutcomes)[number]; since: string },
): Promise<number> {
  const entries = await deps.activity.list(connectionId, { since, outcome });
  const at = deps.now().toISOString();
  const repeats = lastTries(entries.flatMap(({ retryable }) => retryable ?? [])).map((event) => repeatOf(event, at));
  await deps.leads.sendMany(repeats);
  return repeats.length;
}

/** The last try of each original event: a retry that came to nothing is itself an entry. */
function lastTries(kept: readonly string[]): LeadEvent[] {
  const byOrigin = new Map<string, LeadEvent>();
  for (const json of kept) {
    const event = leadEvent.parse(JSON.parse(json));
    const origin = event.original_event_id ?? event.event_id;
    const known = byOrigin.get(origin);
    if (!known || triesOf(known) < triesOf(event)) byOrigin.set(origin, event);
  }
  return [...byOrigin.values()];
}

const triesOf = ({ event_id }: LeadEvent): number => Number(/\.retry\.(\d+)$/.exec(event_id)?.[1] ?? 0);

/** The repeat's id follows from the event's, so that asking twice at once is one try more, not two. */
function repeatOf(event: LeadEvent, at: string): LeadEvent {
  const original_event_id = event.original_event_id ?? event.event_id;
  return {
    ...event,
    event_id: `${original_event_id}.retry.${triesOf(event) + 1}`,
    original_event_id,
    original_at: event.original_at ?? event.at,
    source: 'retry',
    at,
  };
}
