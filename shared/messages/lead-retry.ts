import { type Call, leadFitsAt } from '../domain/calls/call.ts';
import type { ActivityEntry } from '../domain/connections/activity.ts';
import { leadOfCall } from '../domain/leads/lead-of-call.ts';
import { type LeadEvent, originalEventId } from './lead-event.ts';

/**
 * Builds the event for a retry of a lead whose call ended before its phone rang. It has the id of the Activity entry
 * about that end, and therefore its own call and claims, because the former call has ended.
 */
export const leadRetry = (
  call: Pick<Call, 'call_id' | 'created_at' | 'phone_number' | 'request_metadata'> & {
    lead: NonNullable<Call['lead']>;
  },
  { event_id, at, outcome }: Pick<ActivityEntry, 'event_id' | 'at' | 'outcome'>,
): LeadEvent => ({
  event_id,
  connection_id: call.lead.connection_id,
  source: 'retry',
  event: call.lead.event,
  test: call.lead.test,
  at,
  read_at: leadFitsAt(call),
  lead: leadOfCall(call),
  ...(outcome === 'refused_by_platform' && { refused_call_id: call.call_id }),
  ...(call.request_metadata.sunday_rnr_retry === 'true' && { sunday_rnr_retry: true as const }),
  payload_keys: [],
});

/** Returns the number of a try; 0 for the event itself. */
export const tryNumberOf = ({ event_id }: Pick<LeadEvent, 'event_id'>): number =>
  Number(/\.retry\.(\d+)$/.exec(event_id)?.[1] ?? 0);

/**
 * Builds the next try of an event. The id is derived from the event and the number of the try, so that two concurrent
 * requests make one try.
 */
export function nextTryOf(event: LeadEvent, number = tryNumberOf(event) + 1): LeadEvent {
  const original_event_id = originalEventId(event);
  return {
    ...event,
    event_id: `${original_event_id}.retry.${number}`,
    original_event_id,
    original_at: event.original_at ?? event.at,
    source: 'retry',
  };
}
