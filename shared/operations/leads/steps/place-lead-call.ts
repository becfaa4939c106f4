import type { Call } from '../../../domain/calls/call.ts';
import { CANCELED_SINCE, cancelClaimKey } from '../../../domain/calls/dialing/cancel-claim.ts';
import { expiringClaimFor } from '../../../domain/calls/dialing/claim.ts';
import { dayClaimsFor, leadClaimKey, phoneClaimKey } from '../../../domain/calls/dialing/day-claims.ts';
import { sundayClaimCutoff, sundayClaimKey } from '../../../domain/calls/dialing/sunday-claim.ts';
import { queuedLeadCall, scheduledCall } from '../../../domain/calls/placing/new-call.ts';
import { isErased } from '../../../domain/calls/retention/erased-item.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { callWindowOf } from '../../../domain/connections/crm-b-settings.ts';
import type { LeadDecision, LeadRefusal } from '../../../domain/leads/lead-decision.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { Retention } from '../../../domain/organizations/retention.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import { firstEventId, type LeadEvent, originalEventId } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Item, Transact } from '../../../stores/dynamodb/transaction.ts';

export type PlaceLeadCallDeps = {
  calls: Pick<CallStore, 'creation'>;
  claims: Pick<ClaimStore, 'taking' | 'takingUnlessHeldSince' | 'requiringAsRead'>;
  transact: Transact;
  /** The stage's default retention. */
  retention: Retention;
};

export type LeadContext = { connection: Connection; org: Organization; callId: string };

/** `canceledAt`: the time of the claim by which a person canceled a call of the lead, as it was read. */
export type PlacementContext = LeadContext & { canceledAt: string | undefined };

export type CallableLead = Extract<LeadDecision, { leadId: string }>;

export type Placement =
  | { kind: 'placed'; call: Call }
  /** The event's own call exists: a repeat of this transaction by the SDK, or another delivery of the event. */
  | { kind: 'already_placed'; call: Call }
  /** The event's own call was erased, or removed by its retention. */
  | { kind: 'erased' }
  | (LeadRefusal & { phoneCall?: string });

export type ReadLeadEvent = LeadEvent & { read_at: string };

/**
 * Places the call of a lead in one transaction with its claims. The call holds no credit before its dial.
 * @param event with its lead as fetched, and the time of that lead as `read_at`
 * @returns a refusal, without any write, if another event or a cancelation was faster; `phoneCall` is the call of that
 * event if it claims the phone
 */
export async function placeLeadCall(
  deps: PlaceLeadCallDeps,
  event: ReadLeadEvent,
  { connection, org, callId, canceledAt }: PlacementContext,
  decision: CallableLead,
  now: Date,
): Promise<Placement> {
  const { leadId, phone } = decision;
  const eventId = originalEventId(event);
  const { connection_id } = connection;
  const isScheduled = decision.kind === 'scheduled';
  const day = istDay(isScheduled ? decision.opening.from : now);
  const terms = { ...org, retention: deps.retention };
  const call = newLeadCall(event, { connection, org: terms, callId }, decision, { day, now });
  const owner = { ownerId: eventId, callId, now };
  const sunday =
    event.sunday_rnr_retry &&
    expiringClaimFor(sundayClaimKey(connection_id, leadId), { ...owner, ownerId: firstEventId(event) }, now);
  const keys = { lead: leadClaimKey(connection_id, leadId, day), phone: phoneClaimKey(org.org_id, phone, day) };
  const claims = dayClaimsFor(keys, day, owner);
  const result = await deps.transact(
    {
      call: deps.calls.creation(call),
      lead: deps.claims.taking(claims.lead),
      phone: deps.claims.taking(claims.phone),
      sunday: sunday && deps.claims.takingUnlessHeldSince(sunday, sundayClaimCutoff(now)),
      canceled: event.test ? undefined : deps.claims.requiringAsRead(cancelClaimKey(connection_id, leadId), canceledAt),
    },
    { decidedBy: ['call', 'lead', 'phone', 'sunday', 'canceled'] },
  );
  if (result.committed) return { kind: 'placed', call };

  const { refused } = result;
  if (refused.call?.item && isErased(refused.call.item)) return { kind: 'erased' };
  if (refused.call || isOwn(refused.lead, eventId) || isOwn(refused.phone, eventId))
    return { kind: 'already_placed', call };
  if (refused.sunday) return lostRace('retried_recently', 'The Sunday sweep called this lead at the same moment.');
  if (refused.lead) return lostRace('already_called_race', 'Another event called this lead at the same moment.');
  if (refused.canceled) return lostRace('already_called_race', CANCELED_SINCE);
  return {
    ...lostRace('phone_already_called', 'Another event called this phone number at the same moment.'),
    ...(refused.phone?.item && { phoneCall: String(refused.phone.item.call_id) }),
  };
}

const lostRace = (outcome: LeadRefusal['outcome'], reason: string): LeadRefusal => ({
  kind: 'refused',
  outcome,
  reason,
});

const isOwn = (refusal: { item: Item | undefined } | undefined, eventId: string): boolean =>
  refusal?.item?.owner_id === eventId;

function newLeadCall(
  event: ReadLeadEvent,
  { connection, org, callId }: LeadContext & { org: { retention: Retention } },
  decision: CallableLead,
  { day, now }: { day: string; now: Date },
): Call {
  const { leadId, phone, assistant } = decision;
  const { connection_id } = connection;
  const isSundayRetry = event.sunday_rnr_retry === true;
  // The help desk has no leads.
  const crm = connection.type === 'crm-b' ? 'crm-b' : 'crm-a';
  const window = callWindowOf(connection, { isSundayRetry });
  const placed = {
    call_id: callId,
    request_id: event.event_id,
    phone_number: phone,
    request_metadata: {
      source: crm,
      connection_id,
      lead_id: leadId,
      ...(isSundayRetry && { sunday_rnr_retry: 'true' }),
    },
    lead: {
      crm,
      connection_id,
      lead_id: leadId,
      event_id: originalEventId(event),
      event: event.event,
      test: event.test,
      ...(event.lead.owner_id !== undefined && { owner_id: event.lead.owner_id }),
      fields: event.lead.fields,
      read_at: event.read_at,
      ...(decision.kind === 'scheduled' && { first_scheduled_for: decision.opening.from.toISOString() }),
      ...(window && { window }),
    } satisfies Call['lead'],
    claims_day: day,
    placed_by: {
      kind: 'lead' as const,
      event_id: event.event_id,
      source: event.source,
      ...(event.asked_by && { asked_by: event.asked_by }),
    },
    ...(crm === 'crm-b' && !event.test && { crm_b_sync: 'pending' as const }),
  };
  return decision.kind === 'scheduled'
    ? scheduledCall(placed, org, assistant, now, decision.opening)
    : queuedLeadCall(placed, org, assistant, now, decision.opening);
}
