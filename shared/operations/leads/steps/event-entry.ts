import { type ActivityEntry, activityExpiry, isRetryable, type Outcome } from '../../../domain/connections/activity.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { phoneHash } from '../../../domain/connections/phone-hash.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { dialablePhone } from '../../../domain/leads/lead-decision.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { type Retention, retentionOf } from '../../../domain/organizations/retention.ts';
import { maskPhone } from '../../../domain/text/phone-number.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';

export type EventEntryDeps = {
  /** The stage's default retention. */
  retention: Retention;
};

/** The result of an event, as Activity shows it. `lead` is the lead as fetched. */
export type EventResult = {
  outcome: Outcome;
  reason: string;
  callId?: string;
  scheduledFor?: string;
  lead?: Lead;
  /** The call of another event that was faster to claim the phone. */
  phoneCall?: string;
  /** When the message that follows the call of another lead was sent. */
  followedAt?: string;
  /** The person, or the call of the event, was erased, so its entry must not name the person again. */
  isErased?: true;
};

/** Builds the Activity entry of an event. It contains the event if its outcome can be retried. */
export function eventEntry(
  { retention }: EventEntryDeps,
  event: LeadEvent,
  { connection, org }: { connection: Connection; org: Organization },
  result: EventResult,
): ActivityEntry {
  const { lead = event.lead } = result;
  const number = dialablePhone(lead, org.default_region);
  const phone = number ?? lead.phones[0];
  return {
    connection_id: connection.connection_id,
    event_id: event.event_id,
    org_id: connection.org_id,
    at: event.at,
    source: event.source,
    event: event.event,
    test: event.test,
    ...(lead.lead_id !== undefined && { lead_id: lead.lead_id }),
    ...(phone !== undefined && { phone_masked: maskPhone(phone) }),
    ...(number !== undefined && { phone_hash: phoneHash(connection.org_id, number) }),
    ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
    outcome: result.outcome,
    reason: result.reason,
    ...(result.callId !== undefined && { call_id: result.callId }),
    ...(result.scheduledFor !== undefined && { scheduled_for: result.scheduledFor }),
    ...(result.followedAt !== undefined && { followed_at: result.followedAt }),
    payload_keys: event.payload_keys,
    ...(isRetryable(result.outcome) && {
      retryable: JSON.stringify({ ...event, tries: undefined, behind: undefined }),
    }),
    expires_at: activityExpiry(event.at, retentionOf(org, retention)?.activity),
  };
}
