import { isWaiting } from '../../../domain/calls/call.ts';
import { cancelClaimKey, isCanceledSince } from '../../../domain/calls/dialing/cancel-claim.ts';
import { CLAIM_DAYS } from '../../../domain/calls/dialing/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../domain/calls/dialing/day-claims.ts';
import { isScheduled, type ScheduledCall } from '../../../domain/calls/dialing/scheduled-call.ts';
import { isSundayClaimEnded, sundayClaimKey } from '../../../domain/calls/dialing/sunday-claim.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { LeadFacts } from '../../../domain/leads/lead-decision.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import { istDay, istDays } from '../../../domain/time/ist-day.ts';
import { firstEventId, type LeadEvent, reportedAt } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import { type ErasedClaimsDeps, erasedClaimKeys } from '../../calls/dialing/erased-claims.ts';

export type FindClaimsDeps = ErasedClaimsDeps & { claims: Pick<ClaimStore, 'held' | 'owner'> };

/** `changedAt`: when the CRM last changed the lead, if it is known. */
type Callee = { leadId: string | undefined; phone: string | undefined; changedAt?: string | undefined };

/**
 * `phoneCall`: the id of the call that holds the claim on the phone. `canceledAt`: the time of the claim by which a
 * person canceled a call of the lead.
 */
type StoredClaims = Required<Pick<LeadFacts, 'claimedBy' | 'wasCanceledSince'>> & {
  phoneCall?: string | undefined;
  canceledAt?: string | undefined;
};

type FoundClaims = StoredClaims & { wasRetriedRecently: boolean };

/**
 * Finds the claims of other events on a lead and its phone (docs/leads.md, "Claims"). Must run after the organization
 * is read: otherwise, a call that another delivery of the event places in between could use the credit that decides the
 * event.
 */
export async function findClaims(
  deps: FindClaimsDeps,
  event: LeadEvent,
  connection: Connection,
  callee: Callee,
  at: { dialAt: Date; now: Date },
): Promise<FoundClaims> {
  const [found, wasRetriedRecently] = await Promise.all([
    storedClaims(deps, event, connection, callee, at.dialAt),
    event.sunday_rnr_retry === true && isClaimedBySweep(deps, event, connection, at.now),
  ]);
  return { ...found, wasRetriedRecently };
}

const DAY_SECONDS = 86_400;

/** Finds the events that own a claim on the lead for a day on which a call that waits now may have been placed. */
export async function findLeadOwners(
  { claims }: { claims: Pick<ClaimStore, 'owners'> },
  event: Pick<LeadEvent, 'at' | 'original_at'>,
  { connection_id }: Pick<Connection, 'connection_id'>,
  leadId: string,
  now: Date,
): Promise<string[]> {
  // A call may wait for a day (organization-limits.ts), and moves its claims to a new day only at its dial.
  const yesterday = istDay(new Date(secondsAfter(now, -DAY_SECONDS)));
  const days = new Set([...istDays(new Date(event.original_at ?? event.at), now, CLAIM_DAYS), yesterday]);
  const owners = await claims.owners([...days].map((day) => leadClaimKey(connection_id, leadId, day)));
  return [...new Set(owners.values())];
}

/**
 * Finds the events that called the lead of a scheduled call after it was placed. A call that waits does not count,
 * because it needs the claims of the day of its dial, which the released call takes.
 */
export async function findLaterOwners(
  { claims, calls }: { claims: Pick<ClaimStore, 'owners'>; calls: Pick<CallStore, 'get'> },
  { lead: { connection_id, lead_id }, created_at }: ScheduledCall,
  now: Date,
): Promise<string[]> {
  const days = istDays(new Date(created_at), now, CLAIM_DAYS);
  const owners = new Set((await claims.owners(days.map((day) => leadClaimKey(connection_id, lead_id, day)))).values());
  const found: string[] = [];
  for (const owner of owners) {
    const call = await calls.get(callIdForLead(connection_id, owner));
    if (!call || !(isWaiting(call) || isScheduled(call))) found.push(owner);
  }
  return found;
}

/** Returns the time of the original event, or of the lead's change if that was earlier. Claims since then count. */
const changeOf = ({ at, original_at = at, changed_at = original_at }: LeadEvent): Date =>
  new Date(changed_at < original_at ? changed_at : original_at);

/**
 * Reads the day claims, and the claim that a person left by canceling a call of the lead since its change, in one
 * request. Each may be in plain text, or hashed by an erasure. A test event calls the lead despite a cancelation.
 */
async function storedClaims(
  deps: FindClaimsDeps,
  event: LeadEvent,
  { connection_id, org_id }: Connection,
  { leadId, phone, changedAt }: Callee,
  dialAt: Date,
): Promise<StoredClaims> {
  if (leadId === undefined || phone === undefined)
    return { claimedBy: { lead: [], phone: [] }, wasCanceledSince: false };
  const days = istDays(changeOf(event), dialAt, CLAIM_DAYS);
  const callee = { org_id, phone_number: phone };
  const erasedOn = (day: string) => erasedClaimKeys(deps, callee, { connection_id, lead_id: leadId }, day);
  const [ofDial, erased, leadHash] = await Promise.all([
    erasedOn(istDay(dialAt)),
    Promise.all(days.map(erasedOn)),
    deps.doNotCall.hashOf(org_id, leadId),
  ]);
  const leadKeys = [...days.map((day) => leadClaimKey(connection_id, leadId, day)), ...erased.map(({ lead }) => lead)];
  const phoneKeys = [phoneClaimKey(org_id, phone, istDay(dialAt)), ofDial.phone];
  const cancelKeys = [leadId, leadHash].map((id) => cancelClaimKey(connection_id, id));
  const held = await deps.claims.held([...leadKeys, ...phoneKeys, ...cancelKeys]);
  const claimsOn = (keys: string[]) => keys.flatMap((key) => held.get(key) ?? []);
  const ownersOf = (keys: string[]) => claimsOn(keys).map(({ owner_id }) => owner_id);
  const [ofPhone] = claimsOn(phoneKeys);
  return {
    claimedBy: { lead: ownersOf(leadKeys), phone: ownersOf(phoneKeys) },
    wasCanceledSince: !event.test && isCanceledSince(reportedAt(event, changedAt), claimsOn(cancelKeys)),
    phoneCall: ofPhone?.call_id,
    canceledAt: held.get(cancelClaimKey(connection_id, leadId))?.at,
  };
}

/** Returns whether another event of the Sunday sweep owns the lead's claim, in plain text or hashed by an erasure. */
async function isClaimedBySweep(
  { claims, doNotCall }: FindClaimsDeps,
  event: LeadEvent,
  { connection_id, org_id }: Connection,
  now: Date,
): Promise<boolean> {
  const { lead_id } = event.lead;
  if (lead_id === undefined) return false;
  const ids = [lead_id, await doNotCall.hashOf(org_id, lead_id)];
  const owners = await Promise.all(ids.map((id) => claims.owner(sundayClaimKey(connection_id, id))));
  return owners.some((owner) => owner && owner.owner_id !== firstEventId(event) && !isSundayClaimEnded(owner, now));
}
