import type { ActivityEntry } from '../domain/activity.ts';
import { type LeadEvent, leadEvent } from '../messages/lead-event.ts';
import type { ActivityStore } from '../stores/activity.ts';
import type { QueueSender } from '../stores/queue.ts';

export type RetryLeadsDeps = {
  activity: Pick<ActivityStore, 'listForRetry'>;
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
  const entries = await deps.activity.listForRetry(connectionId, { since, outcome });
  const at = deps.now().toISOString();
  const repeats = leadsOf(entries)
    .filter(({ hasCall }) => !hasCall)
    .flatMap(({ event, tries }) => (event ? [repeatOf(event, tries + 1, at)] : []));
  await deps.leads.sendMany(repeats);
  return repeats.length;
}

type Tried = { event?: LeadEvent; tries: number; hasCall: boolean };

/** By original event: what it was, how often it was tried again, whether that made it a call. */
function leadsOf(entries: readonly ActivityEntry[]): Tried[] {
  const byOrigin = new Map<string, Tried>();
  for (const { event_id, outcome, retryable } of entries) {
    const [origin = event_id, number = '0'] = event_id.split('.retry.');
    const known = byOrigin.get(origin) ?? { tries: 0, hasCall: false };
    byOrigin.set(origin, {
      ...known,
      ...(retryable !== undefined && { event: leadEvent.parse(JSON.parse(retryable)) }),
      tries: Math.max(known.tries, Number(number)),
      hasCall: known.hasCall || outcome === 'call queued',
    });
  }
  return [...byOrigin.values()];
}

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
