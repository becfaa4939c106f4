import { type ActivityEntry, activityExpiry, type Outcome } from '../domain/activity.ts';
import type { Call } from '../domain/call.ts';
import { type Connection, isDeliveryDue } from '../domain/connection.ts';
import { LEAD_WAIT_MINUTES } from '../domain/dial-timing.ts';
import { callIdForLead } from '../domain/ids.ts';
import { istDay, istDays } from '../domain/ist-day.ts';
import { claimFor, leadClaimKey, phoneClaimKey } from '../domain/lead-claims.ts';
import { decideLead, dialablePhone, type LeadDecision, outOfCredit } from '../domain/lead-decision.ts';
import { holdEntry } from '../domain/ledger-entry.ts';
import { queuedCall } from '../domain/new-call.ts';
import type { Organization } from '../domain/organization.ts';
import { maskPhone } from '../domain/phone-number.ts';
import type { LeadEvent } from '../messages/lead-event.ts';
import type { ActivityStore } from '../stores/activity.ts';
import type { AssistantStore } from '../stores/assistants.ts';
import type { CallStore } from '../stores/calls.ts';
import type { ClaimStore } from '../stores/claims.ts';
import type { ConnectionStore } from '../stores/connections.ts';
import type { CreditLedger } from '../stores/credit-ledger.ts';
import type { DoNotCallStore } from '../stores/do-not-call.ts';
import type { OrganizationStore } from '../stores/organizations.ts';
import type { Item, Transact } from '../stores/transaction.ts';

export type ProcessLeadDeps = {
  connections: Pick<ConnectionStore, 'get' | 'noteDelivery'>;
  organizations: Pick<OrganizationStore, 'get' | 'holding' | 'parse'>;
  assistants: Pick<AssistantStore, 'get'>;
  calls: Pick<CallStore, 'get' | 'creation'>;
  claims: Pick<ClaimStore, 'owners' | 'taking'>;
  doNotCall: Pick<DoNotCallStore, 'has'>;
  ledger: Pick<CreditLedger, 'adding'>;
  activity: Pick<ActivityStore, 'has' | 'record'>;
  transact: Transact;
  /** Tells the log what the event belongs to. */
  correlate: (ids: { org_id: string; call_id?: string }) => void;
  now: () => Date;
};

/** What became of an event, and the words for it. */
type Result = { outcome: Outcome; reason: string; callId?: string };

/** An event is repeated for as long as its entry is kept; and a batch of keys has 100 at most. */
const MOST_DAYS = 92;

const QUEUED = 'The lead matches; its call is queued.';

/**
 * Makes a lead event a call, or an Activity entry that says why not: once, however often it is delivered
 * (docs/leads.md). An event that has a call was decided, whatever holds by now: deciding anew would meet its own claims
 * and its own hold.
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
  const result: Result = call
    ? { outcome: 'call queued', reason: QUEUED, callId }
    : await decideAndAct(deps, event, { connection, org, callId });
  await deps.activity.record(entryOf(event, connection, org, result));
  deps.correlate({ org_id: org.org_id, ...(result.callId !== undefined && { call_id: result.callId }) });
  // Last, because no lead waits for it.
  if (event.source === 'webhook' && isDeliveryDue(connection, event.at))
    await deps.connections.noteDelivery(connection.connection_id, event.at);
  return result.outcome;
}

/** The event whose call it is: a repeat's is the original's. */
const originOf = (event: LeadEvent): string => event.original_event_id ?? event.event_id;

type Context = { connection: Connection; org: Organization; callId: string };

/** Gathers what decides, decides, and places the call where it is to be. */
async function decideAndAct(deps: ProcessLeadDeps, event: LeadEvent, context: Context): Promise<Result> {
  const { connection, org, callId } = context;
  const now = deps.now();
  const phone = dialablePhone(event.lead, org.default_region);
  const [assistant, onDoNotCallList, claimedBy] = await Promise.all([
    connection.assistant_id ? deps.assistants.get(connection.assistant_id) : undefined,
    phone ? deps.doNotCall.has(org.org_id, phone) : false,
    lookForClaims(deps, event, connection, phone, now),
  ]);
  const eventId = originOf(event);
  const decision = decideLead({ lead: event.lead, connection, org, assistant, onDoNotCallList, eventId, claimedBy });
  if (decision.call === 'placed') return { outcome: 'call queued', reason: QUEUED, callId };
  return decision.call ? place(deps, event, context, decision, now) : decision;
}

/** Who has called the lead since the event came in, and the phone today. Read after the org, whose credit they have changed. */
async function lookForClaims(
  deps: ProcessLeadDeps,
  event: LeadEvent,
  connection: Connection,
  phone: string | undefined,
  now: Date,
): Promise<{ lead: string[]; phone: string[] }> {
  const { lead_id } = event.lead;
  if (lead_id === undefined || phone === undefined) return { lead: [], phone: [] };
  const days = istDays(new Date(event.original_at ?? event.at), now, MOST_DAYS);
  const leadKeys = days.map((day) => leadClaimKey(connection.connection_id, lead_id, day));
  const phoneKey = phoneClaimKey(connection.org_id, phone, istDay(now));
  const owners = await deps.claims.owners([...leadKeys, phoneKey]);
  const ownersOf = (keys: string[]) => keys.flatMap((key) => owners.get(key) ?? []);
  return { lead: ownersOf(leadKeys), phone: ownersOf([phoneKey]) };
}

/** One transaction: call, credit, ledger entry, and the claims on lead and phone. A lost race writes nothing. */
async function place(
  deps: ProcessLeadDeps,
  event: LeadEvent,
  { connection, org, callId }: Context,
  { leadId, phone, assistant, hold }: Extract<LeadDecision, { call: true }>,
  now: Date,
): Promise<Result> {
  const eventId = originOf(event);
  const { connection_id } = connection;
  const day = istDay(now);
  const call: Call = queuedCall(
    {
      call_id: callId,
      request_id: event.event_id,
      phone_number: phone,
      request_metadata: { source: connection.type, connection_id, lead_id: leadId },
      lead: {
        // Help desks have no leads.
        crm: connection.type === 'crm-b' ? 'crm-b' : 'crm-a',
        connection_id,
        lead_id: leadId,
        event_id: eventId,
        event: event.event,
        test: event.test,
        ...(event.lead.owner_id !== undefined && { owner_id: event.lead.owner_id }),
        fields: event.lead.fields,
      },
      claims_day: day,
    },
    org,
    assistant,
    now,
    LEAD_WAIT_MINUTES,
  );
  const owner = { eventId, callId, now };
  const result = await deps.transact(
    {
      call: deps.calls.creation(call),
      lead: deps.claims.taking(claimFor(leadClaimKey(connection_id, leadId, day), owner)),
      phone: deps.claims.taking(claimFor(phoneClaimKey(org.org_id, phone, day), owner)),
      credit: deps.organizations.holding(org.org_id, hold),
      ledger: deps.ledger.adding(holdEntry(call, hold, call.created_at)),
    },
    // What has been called decides, whatever others write to the credit meanwhile.
    { decidedBy: ['call', 'lead', 'phone'] },
  );
  if (result.committed) return { outcome: 'call queued', reason: QUEUED, callId };

  const { refused } = result;
  // Our own write, whose answer was lost, or another delivery of this very event.
  if (refused.call || isOwn(refused.lead, eventId) || isOwn(refused.phone, eventId))
    return { outcome: 'call queued', reason: QUEUED, callId };
  if (refused.lead)
    return { outcome: 'already_called_race', reason: 'Another event called this lead at the same moment.' };
  if (refused.phone)
    return { outcome: 'phone_already_called', reason: 'Another event called this phone number at the same moment.' };
  const available = refused.credit?.item ? deps.organizations.parse(refused.credit.item).available : 0;
  return outOfCredit(hold, available);
}

const isOwn = (refusal: { item: Item | undefined } | undefined, eventId: string): boolean =>
  refusal?.item?.event_id === eventId;

function entryOf(event: LeadEvent, connection: Connection, org: Organization, result: Result): ActivityEntry {
  const { lead } = event;
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
    payload_keys: event.payload_keys,
    ...(result.outcome === 'insufficient_credits' && { retryable: JSON.stringify(event) }),
    expires_at: activityExpiry(event.at),
  };
}
