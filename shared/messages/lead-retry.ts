import { type Call, leadFitsAt } from '../domain/calls/call.ts';
import type { ActivityEntry } from '../domain/connections/activity.ts';
import { leadOfCall } from '../domain/leads/lead-of-call.ts';
import type { LeadEvent } from './lead-event.ts';

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
