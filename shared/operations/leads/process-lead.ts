import type { Call } from '../../domain/calls/call.ts';
import { claimFor } from '../../domain/calls/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../domain/calls/day-claims.ts';
import { queuedLeadCall, scheduledCall } from '../../domain/calls/new-call.ts';
import { type ActivityEntry, activityExpiry, type Outcome } from '../../domain/connections/activity.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import { callWindowOf } from '../../domain/connections/crm-b-settings.ts';
import { isDeliveryDue } from '../../domain/connections/delivery-notes.ts';
import { callIdForLead } from '../../domain/ids.ts';
import { crmRetryDelay } from '../../domain/leads/crm-retry.ts';
import type { Lead } from '../../domain/leads/lead.ts';
import { decideLead, dialablePhone, type LeadDecision, outOfCredit } from '../../domain/leads/lead-decision.ts';
import { sundayClaimEnd, sundayClaimKey } from '../../domain/leads/sunday-retry.ts';
import { holdEntry } from '../../domain/organizations/ledger-entry.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import { maskPhone } from '../../domain/text/phone-number.ts';
import { istDay, istDays } from '../../domain/time/ist-day.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { Item, Transact } from '../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { fetchLead, gatherFacts, type LeadFactsDeps } from './lead-facts.ts';
import { isRetryable } from './retry-leads.ts';

export type ProcessLeadDeps = LeadFactsDeps & {
  connections: Pick<ConnectionStore, 'get' | 'noteDelivery'>;
  organizations: Pick<OrganizationStore, 'get' | 'holding' | 'parse'>;
  calls: Pick<CallStore, 'get' | 'creation'>;
  claims: Pick<ClaimStore, 'owners' | 'owner' | 'taking' | 'takingSince'>;
  ledger: Pick<CreditLedger, 'adding'>;
  activity: Pick<ActivityStore, 'has' | 'record'>;
  leads: QueueSender<LeadEvent>;
  transact: Transact;
  /** Tells the log what the event belongs to. */
  correlate: (ids: { org_id: string; call_id?: string }) => void;
  now: () => Date;
};

/** What became of an event, and the words for it. `lead` as the CRM told it, where it was asked. */
type Result = { outcome: Outcome; reason: string; callId?: string; scheduledFor?: string; lead?: Lead };

/** An event is repeated for as long as its entry is kept; and a batch of keys has 100 at most. */
const MOST_DAYS = 92;

const QUEUED = 'The lead matches; its call is queued.';
const SCHEDULED = 'The lead matches; its call waits for the call window.';

/**
 * Makes a lead event a call, or an Activity entry that says why not: once, however often it is delivered
 * (docs/leads.md). An event that has a call was decided, whatever holds by now: deciding anew would meet its own claims
 * and its own hold. A CRM that cannot be asked is asked again by the queue, with growing waits.
 * @returns a word for the log. @throws when others keep writing the same items: the queue brings the event again.
 */
export async function processLead(deps: ProcessLeadDeps, event: LeadEvent): Promise<string> {
  const callId = callIdForLead(event.connection_id, originOf(event));
  const [connection, call, isRecorded] = await Promise.all([
    deps.connections.get(event.connection_id),
    deps.calls.get(callId),
    deps.activity.has(event.connection_id, event.event_id),
  ]);
  if (!connection) return 'no_such_connection';
  if (isRecorded) return 'decided_before';
  const org = await deps.organizations.get(connection.org_id);
  if (!org) return 'no_such_org';
  const result = call ? resultOf(call) : await decideAndAct(deps, event, { connection, org, callId });
  if (result !== 'later') {
    await deps.activity.record(entryOf(event, connection, org, result));
    deps.correlate({ org_id: org.org_id, ...(result.callId !== undefined && { call_id: result.callId }) });
  }
  // Last, because no lead waits for it.
  if (event.source === 'webhook' && isDeliveryDue(connection, event.at))
    await deps.connections.noteDelivery(connection.connection_id, event.at);
  return result === 'later' ? 'crm_unavailable_for_now' : result.outcome;
}

/** The event whose call it is: a repeat's is the original's. */
const originOf = (event: LeadEvent): string => event.original_event_id ?? event.event_id;

/** What the event had become when its call was written, whatever the call is by now. */
function resultOf({ call_id: callId, lead }: Pick<Call, 'call_id' | 'lead'>): Result {
  const scheduledFor = lead?.first_scheduled_for;
  return scheduledFor === undefined
    ? { outcome: 'call queued', reason: QUEUED, callId }
    : { outcome: 'call scheduled', reason: SCHEDULED, callId, scheduledFor };
}

type Context = { connection: Connection; org: Organization; callId: string };

/** Gathers what decides, decides, and places the call where it is to be. */
async function decideAndAct(deps: ProcessLeadDeps, event: LeadEvent, context: Context): Promise<Result | 'later'> {
  const { connection, org, callId } = context;
  if (event.ignored !== undefined) return { outcome: 'ignored', reason: event.ignored };
  const fetched = await fetchLead(deps, event, connection);
  if (fetched.notFetched?.outcome === 'crm_unavailable' && !fetched.isFinal) {
    const tries = (event.tries ?? 0) + 1;
    const delay = crmRetryDelay(tries);
    if (delay !== undefined) {
      await deps.leads.send({ ...event, tries }, delay);
      return 'later';
    }
  }
  const { lead } = fetched;
  const now = deps.now();
  const isSundayRetry = event.sunday_rnr_retry === true;
  const { phone, ...facts } = await gatherFacts(deps, fetched, { connection, org, isSundayRetry, now });
  const eventId = originOf(event);
  const dialAt = facts.opening && !facts.opening.isOpen ? facts.opening.from : now;
  const [claimedBy, wasRetriedRecently] = await Promise.all([
    lookForClaims(deps, event, connection, { leadId: lead.lead_id, phone }, dialAt),
    isSundayRetry && wasRetried(deps, event, now),
  ]);
  const decision = decideLead({ ...facts, claimedBy, wasRetriedRecently, eventId });
  switch (decision.call) {
    case 'placed':
      // Another delivery was faster; its call tells what this event has become.
      return { ...resultOf((await deps.calls.get(callId)) ?? { call_id: callId }), lead };
    case false:
      return { ...decision, lead };
    default:
      return { ...(await place(deps, { ...event, lead }, context, decision, now)), lead };
  }
}

/**
 * Who has called the lead since the event came in, and the phone on the day of the dial. Read after the org, whose credit
 * they have changed.
 */
async function lookForClaims(
  deps: ProcessLeadDeps,
  event: LeadEvent,
  connection: Connection,
  { leadId, phone }: { leadId: string | undefined; phone: string | undefined },
  dialAt: Date,
): Promise<{ lead: string[]; phone: string[] }> {
  if (leadId === undefined || phone === undefined) return { lead: [], phone: [] };
  const days = istDays(new Date(event.original_at ?? event.at), dialAt, MOST_DAYS);
  const leadKeys = days.map((day) => leadClaimKey(connection.connection_id, leadId, day));
  const phoneKey = phoneClaimKey(connection.org_id, phone, istDay(dialAt));
  const owners = await deps.claims.owners([...leadKeys, phoneKey]);
  const ownersOf = (keys: string[]) => keys.flatMap((key) => owners.get(key) ?? []);
  return { lead: ownersOf(leadKeys), phone: ownersOf([phoneKey]) };
}

/** Whether another event of the Sunday sweep had the lead called in its window. */
async function wasRetried({ claims }: ProcessLeadDeps, event: LeadEvent, now: Date): Promise<boolean> {
  const { lead_id } = event.lead;
  const owner = lead_id && (await claims.owner(sundayClaimKey(event.connection_id, lead_id)));
  return !!owner && owner.owner_id !== originOf(event) && owner.at > sundayClaimEnd(now);
}

type Placing = Extract<LeadDecision, { leadId: string }>;

/**
 * One transaction: call, credit, ledger entry, and the claims on lead and phone. A call that waits for its window holds no
 * credit yet. A lost race writes nothing.
 */
async function place(
  deps: ProcessLeadDeps,
  event: LeadEvent,
  { connection, org, callId }: Context,
  decision: Placing,
  now: Date,
): Promise<Result> {
  const { leadId, phone } = decision;
  const eventId = originOf(event);
  const { connection_id } = connection;
  const isScheduled = decision.call === 'scheduled';
  const day = istDay(isScheduled ? decision.opening.from : now);
  const call = newLeadCall(event, { connection, org, callId }, decision, { day, now });
  const owner = { ownerId: eventId, callId, now };
  const sunday = event.sunday_rnr_retry && claimFor(sundayClaimKey(connection_id, leadId), owner);
  const result = await deps.transact(
    {
      call: deps.calls.creation(call),
      lead: deps.claims.taking(claimFor(leadClaimKey(connection_id, leadId, day), owner)),
      phone: deps.claims.taking(claimFor(phoneClaimKey(org.org_id, phone, day), owner)),
      sunday: sunday && deps.claims.takingSince(sunday, sundayClaimEnd(now)),
      credit: isScheduled ? undefined : deps.organizations.holding(org.org_id, decision.hold),
      ledger: isScheduled ? undefined : deps.ledger.adding(holdEntry(call, decision.hold, call.created_at)),
    },
    // What has been called decides, whatever others write to the credit meanwhile.
    { decidedBy: ['call', 'lead', 'phone', 'sunday'] },
  );
  if (result.committed) return resultOf(call);

  const { refused } = result;
  // Our own write, whose answer was lost, or another delivery of this very event.
  if (refused.call || isOwn(refused.lead, eventId) || isOwn(refused.phone, eventId))
    return resultOf((await deps.calls.get(callId)) ?? call);
  if (refused.sunday)
    return { outcome: 'retried_recently', reason: 'The Sunday sweep had this lead called at the same moment.' };
  if (refused.lead)
    return { outcome: 'already_called_race', reason: 'Another event called this lead at the same moment.' };
  if (refused.phone)
    return { outcome: 'phone_already_called', reason: 'Another event called this phone number at the same moment.' };
  const available = refused.credit?.item ? deps.organizations.parse(refused.credit.item).available : 0;
  return outOfCredit(isScheduled ? 0 : decision.hold, available);
}

function newLeadCall(
  event: LeadEvent,
  { connection, org, callId }: Context,
  decision: Placing,
  { day, now }: { day: string; now: Date },
): Call {
  const { leadId, phone, assistant } = decision;
  const { connection_id } = connection;
  const isSundayRetry = event.sunday_rnr_retry === true;
  // Help desks have no leads.
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
      event_id: originOf(event),
      event: event.event,
      test: event.test,
      ...(event.lead.owner_id !== undefined && { owner_id: event.lead.owner_id }),
      fields: event.lead.fields,
      ...(decision.call === 'scheduled' && { first_scheduled_for: decision.opening.from.toISOString() }),
      ...(window && { window }),
    } satisfies Call['lead'],
    claims_day: day,
    ...(crm === 'crm-b' && !event.test && { crm_b_sync: 'pending' as const }),
  };
  return decision.call === 'scheduled'
    ? scheduledCall(placed, org, assistant, now, decision.opening)
    : queuedLeadCall(placed, org, assistant, now, decision.opening);
}

const isOwn = (refusal: { item: Item | undefined } | undefined, eventId: string): boolean =>
  refusal?.item?.owner_id === eventId;

function entryOf(event: LeadEvent, connection: Connection, org: Organization, result: Result): ActivityEntry {
  const { lead = event.lead } = result;
  const phone = dialablePhone(lead, org.default_region) ?? lead.phones[0];
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
    ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
    outcome: result.outcome,
    reason: result.reason,
    ...(result.callId !== undefined && { call_id: result.callId }),
    ...(result.scheduledFor !== undefined && { scheduled_for: result.scheduledFor }),
    payload_keys: event.payload_keys,
    ...(isRetryable(result.outcome) && { retryable: JSON.stringify({ ...event, tries: undefined }) }),
    expires_at: activityExpiry(event.at),
  };
}
