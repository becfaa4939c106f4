import type { ScheduledCall } from '../domain/calls/dialing/scheduled-call.ts';
import { leadOfCall } from '../domain/leads/lead-of-call.ts';
import { releaseSuffix } from '../domain/leads/release.ts';
import type { LeadEvent } from './lead-event.ts';

/** Builds the message that releases a scheduled call: its lead is fetched and decided again. */
export function releaseOf(call: ScheduledCall): LeadEvent {
  const { lead, scheduled_for, request_metadata } = call;
  return {
    event_id: `${lead.event_id}.${releaseSuffix(scheduled_for)}`,
    original_event_id: lead.event_id,
    connection_id: lead.connection_id,
    source: 'release',
    event: lead.event,
    test: lead.test,
    at: scheduled_for,
    scheduled_for,
    ...(request_metadata.sunday_rnr_retry === 'true' && { sunday_rnr_retry: true as const }),
    lead: leadOfCall(call),
    payload_keys: [],
  };
}
