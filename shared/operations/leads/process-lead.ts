import type { Call } from '../../domain/calls/call.ts';
import { isRefusedByPlatform } from '../../domain/calls/ending.ts';
import { erasedEntry, formerTryOf, isErasedEntry } from '../../domain/connections/activity.ts';
import { callIdForLead } from '../../domain/ids.ts';
import type { Lead } from '../../domain/leads/lead.ts';
import type { LeadDecision } from '../../domain/leads/lead-decision.ts';
import { hasWaitedLong, waitEntryId } from '../../domain/leads/long-wait.ts';
import { type LeadEvent, originalEventId } from '../../messages/lead-event.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ActivityStore, StoredEntry } from '../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { freeingDayClaims } from '../calls/dialing/move-day-claims.ts';
import { type ConfirmCallsDeps, confirmCalls } from './steps/confirm-calls.ts';
import { type DecideEventDeps, decideEvent } from './steps/decide-event.ts';
import { type EventResult, eventEntry } from './steps/event-entry.ts';
import { type FetchedLead, type FetchLeadDeps, fetchLead } from './steps/fetch-lead.ts';
import { findLeadOwners } from './steps/find-claims.ts';
import { type FollowOtherCallDeps, followOtherCall, recheckOtherCall } from './steps/follow-other-call.ts';
import {
  type CallableLead,
  type LeadContext,
  type PlaceLeadCallDeps,
  type PlacementContext,
  placeLeadCall,
  type ReadLeadEvent,
} from './steps/place-lead-call.ts';
import { type StopOlderCallsDeps, stopOlderCalls } from './steps/stop-older-calls.ts';
import { type WaitForCrmDeps, waitForCrm } from './steps/wait-for-crm.ts';

export type ProcessLeadDeps = FetchLeadDeps &
  DecideEventDeps &
  PlaceLeadCallDeps &
  StopOlderCallsDeps &
  ConfirmCallsDeps &
  FollowOtherCallDeps &
  WaitForCrmDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    organizations: Pick<OrganizationStore, 'get'>;
    calls: Pick<CallStore, 'get' | 'getOrErased' | 'creation' | 'ending'>;
    claims: Pick<ClaimStore, 'owners' | 'held' | 'owner' | 'freeing'> & PlaceLeadCallDeps['claims'];
    activity: Pick<ActivityStore, 'has' | 'get' | 'record' | 'adding' | 'supersede' | 'follow'>;
    leadQueue: QueueSender<LeadEvent>;
    /** Adds the ids to every following line of the log. */
    correlate: (ids: { org_id: string; call_id?: string }) => void;
    now: () => Date;
  };

const ERASED: EventResult = { outcome: 'ignored', reason: 'The call of this event was erased.', isErased: true };

/** `person erase` removes an event without a call, but not a retry of it that is already queued. */
const PERSON_ERASED: EventResult = { ...ERASED, reason: 'The person of this event was erased.' };

/** The most decisions in one run: an event is decided again if the call that prevented its own ended before it rang. */
const MAX_DECISIONS = 3;

const QUEUED = 'The lead matched; its call was queued.';
const SCHEDULED = 'The lead matched; its call was set for the call window.';

/** Sentences that complete the reason of a lead that the CRM did not return. */
const NEXT_STEPS = {
  left: 'It is fetched again if the CRM answers within two days, unless the connection is disconnected first.',
  given_up: 'It is not requested again, unless a person retries it.',
} as const;

/**
 * Decides a lead event: places its call or not, and adds an Activity entry with the reason. The result is the same no
 * matter how often the event is delivered (docs/leads.md, "Each event is decided once"). If the CRM is unavailable, the
 * event is queued again with growing delays.
 * @returns the outcome, for the log
 * @throws if other writers keep changing the same items; the queue delivers the event again
 */
export async function processLead(deps: ProcessLeadDeps, event: LeadEvent): Promise<string> {
  const callId = callIdForLead(event.connection_id, originalEventId(event));
  const [connection, call, isRecorded, repeated, refused] = await Promise.all([
    deps.connections.get(event.connection_id),
    deps.calls.getOrErased(callId),
    deps.activity.has(event.connection_id, event.event_id),
    event.original_event_id === undefined ? undefined : deps.activity.get(event.connection_id, event.original_event_id),
    event.behind && deps.activity.get(event.connection_id, formerTryOf(event.event_id) ?? ''),
  ]);
  if (!connection) return 'no_such_connection';
  if (isRecorded) {
    await supersedeFormer(deps, event);
    return 'decided_before';
  }
  // An event that has its own call is already decided; only its entry may be missing.
  if (event.behind !== undefined && call === undefined) {
    const rechecked = await recheckOtherCall(deps, event, event.behind, refused);
    if (rechecked !== 'decide') return rechecked;
  }
  const org = await deps.organizations.get(connection.org_id);
  if (!org) return 'no_such_org';
  // An event that has its own call is not decided again: the claims and the hold of that call would refuse another one.
  const result =
    storedEventResultOf(call, repeated) ?? (await decideAndPlace(deps, event, { connection, org, callId }));
  if (result !== 'later') {
    const entry = eventEntry(deps, event, { connection, org }, result);
    await deps.activity.record(result.isErased ? { ...erasedEntry(entry), reason: entry.reason } : entry);
    await supersedeFormer(deps, event);
    deps.correlate({ org_id: org.org_id, ...(result.callId !== undefined && { call_id: result.callId }) });
  }
  return result === 'later' ? 'crm_unavailable_for_now' : result.outcome;
}

/**
 * Marks the entries that the event's own entry supersedes: the entry of the previous try, and the entry of the wait for
 * the CRM. If a worker crashes before this, the next delivery of the event does it.
 */
async function supersedeFormer(
  { activity, now }: Pick<ProcessLeadDeps, 'activity' | 'now'>,
  { connection_id, event_id, at, tries }: LeadEvent,
): Promise<void> {
  const superseded = [
    formerTryOf(event_id),
    tries !== undefined && hasWaitedLong(at, now()) ? waitEntryId(event_id) : undefined,
  ];
  for (const former of superseded)
    if (former !== undefined) await activity.supersede({ connection_id, event_id: former }, event_id);
}

/** @param repeated the entry of the event that this one repeats */
function storedEventResultOf(
  call: Call | 'erased' | undefined,
  repeated: StoredEntry | undefined,
): EventResult | undefined {
  if (call === 'erased') return ERASED;
  if (call) return resultOf(call);
  return repeated && isErasedEntry(repeated) ? PERSON_ERASED : undefined;
}

/** Returns the event's outcome at the time its call was placed, whatever has happened to the call since. */
function resultOf({ call_id: callId, lead }: Pick<Call, 'call_id' | 'lead'>): EventResult {
  const scheduledFor = lead?.first_scheduled_for;
  return scheduledFor === undefined
    ? { outcome: 'call queued', reason: QUEUED, callId }
    : { outcome: 'call scheduled', reason: SCHEDULED, callId, scheduledFor };
}

async function decideAndPlace(
  deps: ProcessLeadDeps,
  event: LeadEvent,
  context: LeadContext,
): Promise<EventResult | 'later'> {
  const { connection, org } = context;
  if (event.ignored !== undefined) return { outcome: 'ignored', reason: event.ignored };
  const fetched = await fetchLead(deps, event, connection);
  const now = deps.now();
  const isUnavailable = fetched.notFetched?.outcome === 'crm_unavailable';
  const waiting = isUnavailable ? await waitForCrm(deps, event, context, fetched, now) : undefined;
  if (waiting === 'later') return waiting;
  const found = waiting ? { ...fetched, notFetched: withNextStep(fetched, waiting) } : fetched;
  if (event.refused_call_id !== undefined) await freeRefusedCall(deps, event.refused_call_id);
  for (let attempt = 1; ; attempt += 1) {
    const decided = await decideEvent(deps, event, found, { connection, org, now });
    const { decision, lead, canceledAt } = decided;
    const result = await actOn(deps, event, { ...context, fetched, lead, now, canceledAt }, decision);
    const hasOwners = result.outcome === 'already_called' && decided.owners.length > 0;
    const { lead_id } = lead;
    const { phone: phone_number, phoneCall: call_id = result.phoneCall } = decided;
    if (result.outcome === 'phone_already_called' && phone_number && call_id && !event.test) {
      const { isFree, ...followed } = await followOtherCall(deps, event, { call_id, phone_number });
      if (!isFree || attempt === MAX_DECISIONS) return { ...result, lead, ...followed };
      continue;
    }
    // Another event's call, or a person's cancelation that was not read, prevents this one. The call may have ended and
    // freed its claims since the claims were read.
    if (!(hasOwners || result.outcome === 'already_called_race') || lead_id === undefined) return { ...result, lead };
    const owners = hasOwners ? decided.owners : await findLeadOwners(deps, event, connection, lead_id, now);
    const isConfirmed = owners.length > 0 && (await confirmCalls(deps, event, owners, fetched.readAt));
    if (isConfirmed || attempt === MAX_DECISIONS) return { ...result, lead };
  }
}

/** Carries out the decision, and returns the event's result. */
async function actOn(
  deps: ProcessLeadDeps,
  event: LeadEvent,
  { fetched, lead, now, ...context }: PlacementContext & { fetched: FetchedLead; lead: Lead; now: Date },
  decision: LeadDecision,
): Promise<EventResult> {
  switch (decision.kind) {
    case 'already_placed':
      return existingEventResult(deps, { call_id: context.callId });
    case 'refused':
      await stopOlderCalls(deps, event, decision, fetched, { connection: context.connection, now });
      return { outcome: decision.outcome, reason: decision.reason };
    default:
      return place(deps, { ...event, lead, read_at: fetched.readAt }, context, decision, now);
  }
}

/** Adds to the reason of an unavailable CRM whether the service requests the lead again. */
const withNextStep = ({ notFetched }: FetchedLead, waiting: keyof typeof NEXT_STEPS) => ({
  outcome: 'crm_unavailable' as const,
  reason: `${notFetched?.reason} ${NEXT_STEPS[waiting]}`,
});

async function place(
  deps: ProcessLeadDeps,
  event: ReadLeadEvent,
  context: PlacementContext,
  decision: CallableLead,
  now: Date,
): Promise<EventResult> {
  const placement = await placeLeadCall(deps, event, context, decision, now);
  switch (placement.kind) {
    case 'placed':
      return resultOf(placement.call);
    case 'already_placed':
      return existingEventResult(deps, placement.call);
    case 'erased':
      return ERASED;
    case 'refused':
      return placement;
  }
}

const existingEventResult = async (
  { calls }: Pick<ProcessLeadDeps, 'calls'>,
  call: Pick<Call, 'call_id' | 'lead'>,
): Promise<EventResult> => resultOf((await calls.get(call.call_id)) ?? call);

type FreeRefusedCallDeps = {
  calls: Pick<CallStore, 'get'>;
  claims: Pick<ClaimStore, 'freeing'>;
  transact: Transact;
};

/**
 * Frees the day claims of a call that the platform refused, so that its retry may take them. Claims of other events
 * stay, as do those of a call with another end (docs/leads.md, "Freed claims").
 */
async function freeRefusedCall({ calls, claims, transact }: FreeRefusedCallDeps, callId: string): Promise<void> {
  const call = await calls.get(callId);
  if (!call || !isRefusedByPlatform(call)) return;
  await freeingDayClaims(claims, call, async (writes) =>
    Object.keys(writes).length > 0 ? transact(writes) : { committed: true },
  );
}
