import { type Call, leadFitsAt } from '../../../domain/calls/call.ts';
import { cancelClaimOfFollower, canceledAtOf } from '../../../domain/calls/dialing/cancel-claim.ts';
import { isScheduled } from '../../../domain/calls/dialing/scheduled-call.ts';
import { isErasedEntry } from '../../../domain/connections/activity.ts';
import { type OtherCall, stateOfOtherCall } from '../../../domain/leads/other-call.ts';
import { isStoppedSince } from '../../../domain/leads/stopped-lead.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import { nextTryOf } from '../../../messages/lead-retry.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ActivityStore, StoredEntry } from '../../../stores/connections/activity.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { StoppedLeadStore } from '../../../stores/leads/stopped-leads.ts';
import { MAX_DELAY_SECONDS, type QueueSender } from '../../../stores/queue.ts';
import { CHECK_AFTER_SECONDS } from '../../calls/steps/follow-phone.ts';

export type FollowOtherCallDeps = {
  calls: Pick<CallStore, 'get' | 'erasedCancelation'>;
  stoppedLeads: Pick<StoppedLeadStore, 'get'>;
  claims: Pick<ClaimStore, 'takingUnlessHeldSince'>;
  transact: Transact;
  leadQueue: Pick<QueueSender<LeadEvent>, 'send'>;
  now: () => Date;
};

/** A scheduled call is checked this long after its window opens. */
const AFTER_OPENING_SECONDS = 60;

type OtherCallOfPhone = NonNullable<LeadEvent['behind']>;

/**
 * Follows the call of another lead that claims an event's phone, if that call may still end before it rings: a message
 * decides the event again after such an end (docs/leads.md, "Two leads with one phone").
 * @param other as the decision found it. It may have ended since, even by a person, and freed its claim on the phone
 * @returns whether the phone is free by now, or when the message was sent, for the event's entry
 */
export async function followOtherCall(
  deps: FollowOtherCallDeps,
  event: LeadEvent,
  { call_id, phone_number }: OtherCallOfPhone,
): Promise<{ isFree: boolean; followedAt?: string }> {
  const call = await deps.calls.get(call_id);
  const state = call ? await stateOf(deps, call, phone_number) : 'counts';
  if (state === 'counts') await noteCancelation(deps, event, call_id, call);
  if (!call || state !== 'waits') return { isFree: state === 'frees_phone' };
  return { isFree: false, followedAt: await sendBehind(deps, nextTryOf(event), call, phone_number) };
}

/**
 * Checks again the call that an event follows. Only the message whose time is stored on the refused event's entry leads
 * to another message, so that copies of a message end here.
 * @param refused the entry of the event
 * @returns `decide` if the event is to be decided again; otherwise the result, for the log
 */
export async function recheckOtherCall(
  deps: FollowOtherCallDeps & { activity: Pick<ActivityStore, 'follow'> },
  event: LeadEvent,
  { call_id, phone_number }: OtherCallOfPhone,
  refused: StoredEntry | undefined,
): Promise<'decide' | 'waits_behind_call' | 'phone_already_called' | 'erased' | 'copy'> {
  if (!refused || isErasedEntry(refused)) return 'erased';
  if (refused.followed_at !== event.at) return 'copy';
  const call = await deps.calls.get(call_id);
  const state = call ? await stateOf(deps, call, phone_number) : 'counts';
  if (state === 'frees_phone') return 'decide';
  if (state === 'counts') await noteCancelation(deps, event, call_id, call);
  if (!call || state === 'counts') return 'phone_already_called';
  // Sent before it is recorded, so that a worker that dies in between loses nothing.
  const followedAt = await sendBehind(deps, event, call, phone_number);
  await deps.activity.follow(refused, event.at, followedAt);
  return 'waits_behind_call';
}

/**
 * Lets a person's cancelation of the other call count against the refused lead, too. Otherwise a catch-up, which
 * decides about the same change again, would call the lead, because its phone is free by now.
 * @param call undefined if it was erased since
 */
async function noteCancelation(
  { calls, claims, transact }: FollowOtherCallDeps,
  { connection_id, event_id, lead: { lead_id } }: LeadEvent,
  callId: string,
  call: Call | undefined,
): Promise<void> {
  const canceledAt = call ? canceledAtOf(call) : await calls.erasedCancelation(callId);
  if (canceledAt === undefined || lead_id === undefined) return;
  const claim = cancelClaimOfFollower(callId, canceledAt, { connection_id, lead_id, event_id });
  // The lead's own cancelation may be newer.
  await transact({ claim: claims.takingUnlessHeldSince(claim, claim.at) });
}

/**
 * Returns the state of another call. Also reads the stopped lead, because a call that ended for another owner does not
 * show whether the lead had the do-not-call flag, too.
 */
async function stateOf({ stoppedLeads }: FollowOtherCallDeps, call: Call, phone: string): Promise<OtherCall> {
  const state = stateOfOtherCall(call, phone);
  if (state !== 'frees_phone' || call.phone_number !== phone || !call.lead) return state;
  const stop = await stoppedLeads.get({ ...call.lead, org_id: call.org_id });
  return isStoppedSince(leadFitsAt(call), stop) && stop.lead.do_not_call ? 'counts' : state;
}

/** @returns when the message was sent, ISO 8601 */
async function sendBehind(
  { leadQueue, now }: FollowOtherCallDeps,
  event: LeadEvent,
  call: Call,
  phone_number: string,
): Promise<string> {
  const at = now().toISOString();
  const behind = { call_id: call.call_id, phone_number };
  await leadQueue.send({ ...event, at, behind, tries: undefined }, delayOf(call, now()));
  return at;
}

function delayOf(call: Call, now: Date): number {
  if (!isScheduled(call)) return CHECK_AFTER_SECONDS;
  const afterOpening = secondsBetween(now, call.scheduled_for) + AFTER_OPENING_SECONDS;
  return Math.min(MAX_DELAY_SECONDS, Math.max(CHECK_AFTER_SECONDS, afterOpening));
}
