import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import { dayClaimKeys } from '../../../shared/domain/calls/dialing/day-claims.ts';
import type { ActivityEntry } from '../../../shared/domain/connections/activity.ts';
import { phoneHash } from '../../../shared/domain/connections/phone-hash.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { CrmLeads } from '../crm-leads.ts';
import type { PlatformRecord } from '../platform.ts';
import type { Fail } from './violation.ts';

/** Ends that prove that no phone rang, so that the next event may call the lead (docs/leads.md, "Claims"). */
const FREED =
  /^(expired|assistant_missing|platform_unreachable|do_not_call|canceled_by_operator|(phone_)?already_called|insufficient_credits|destination_not_allowed)$/;

/** Ends that an operator chose. */
const BY_PERSON = /_by_operator$/;

/** Ends that the service chose. */
const BY_SERVICE = new RegExp(`${FREED.source}|^lost$|^platform answered `);

/** Outcomes in Activity that do not say how the call ended. */
const UNDECIDED: readonly string[] = ['call queued', 'call scheduled', 'spend_limit_reached'];

/** The state at the end of a run. */
export type End = {
  calls: readonly Call[];
  claims: readonly Item[];
  entries: readonly ActivityEntry[];
  /** The lead events that the service has accepted. */
  events: readonly LeadEvent[];
  /** The ids of calls that clients were promised. */
  promised: ReadonlySet<string>;
  /** Entries of leads that were refused for lack of credit or spend, and then retried without this lack. */
  lacking: readonly ActivityEntry[];
  /** The ids of calls that a daily spend limit has delayed. */
  delayed: ReadonlySet<string>;
  /** The ids of calls whose phone rang. */
  rung: ReadonlySet<string>;
  crmLeads: CrmLeads;
  /** Returns whether the number of a call was put on the do-not-call list. */
  isListed: (call: Call) => boolean;
  /** Live calls at the platform that a lookup found as the second call of a dial, and whose end was not requested. */
  secondCalls: Iterable<Pick<PlatformRecord, 'id' | 'callId'>>;
  /** How often each call got slots, by its id. */
  reservations: ReadonlyMap<string, number>;
  /** How many dial messages were sent for each call, by its id. */
  dialMessages: ReadonlyMap<string, number>;
};

/** Checks the state at the end of a run, when no work is left. */
export function checkEnd(fail: Fail, end: End): void {
  const { calls, claims, entries, events, promised, rung, reservations, dialMessages } = end;
  const byId = new Map(calls.map((call) => [call.call_id, call]));
  const decided = new Map(entries.map((entry) => [`${entry.connection_id} ${entry.event_id}`, entry]));
  for (const { connection_id, event_id, behind } of events) {
    // An event behind another lead's call is decided only if that call frees the phone, which `checkBehind` checks.
    if (behind) continue;
    const entry = decided.get(`${connection_id} ${event_id}`);
    if (!entry) fail('lost lead', `${event_id} has no entry in Activity`, [event_id]);
    else if (entry.call_id && !byId.has(entry.call_id))
      fail('lost lead', `${event_id}: no call ${entry.call_id}`, [event_id]);
  }
  for (const { connection_id, event_id } of end.lacking) {
    const [origin, number = '0'] = event_id.split('.retry.');
    const next = decided.get(`${connection_id} ${origin}.retry.${Number(number) + 1}`);
    if (!next || next.outcome === 'insufficient_credits')
      fail('retry', `${event_id} lacked credit or spend; its retry is ${next?.outcome ?? 'absent'}`, [event_id]);
  }
  for (const callId of promised) if (!byId.has(callId)) fail('lost request', `${callId} was promised`, [callId]);
  for (const { call_id: id, status } of calls) if (!isTerminal(status)) fail('drained', `${id} is ${status}`, [id]);

  for (const [id, messages] of dialMessages) {
    // The SDK may repeat a message, and a worker sends one more after contention.
    const most = 2 * (reservations.get(id) ?? 0) + 2;
    if (messages > most)
      fail('dial messages', `${messages} for ${id}, which got slots ${reservations.get(id)} times`, [id]);
  }

  for (const { id, callId } of end.secondCalls) {
    // If a person ended the call before its platform id was known, the service could not hang up.
    if (!BY_PERSON.test(byId.get(callId)?.ended_reason ?? ''))
      fail('double ring', `${id} is a second live call of ${callId}, and is not hung up`, [callId, id]);
  }

  checkDelayed(fail, end, byId);
  checkPrevented(fail, end);
  checkBehind(fail, end);

  const outcomes = Map.groupBy(entries, ({ call_id = '' }) => call_id);
  for (const { call_id: id, lead, ended_reason = '' } of calls) {
    if (!lead || rung.has(id) || !BY_SERVICE.test(ended_reason) || BY_PERSON.test(ended_reason)) continue;
    const outcomesShown = (outcomes.get(id) ?? []).map(({ outcome }) => outcome);
    if (outcomesShown.every((outcome) => UNDECIDED.includes(outcome)))
      fail('lost lead', `${id} rang no phone and ended as ${ended_reason}; Activity says only ${outcomesShown}`, [id]);
  }

  const ofCalls = claims.filter(({ claim }) => !String(claim).startsWith('canceled#'));
  const owners = new Map(ofCalls.map(({ claim, call_id }) => [String(claim), String(call_id)]));
  const owned = new Set(owners.values());
  for (const call of calls) {
    const { call_id: id, lead, ended_reason = '', claims_day = '' } = call;
    if (!lead) continue;
    const isFreed = FREED.test(ended_reason) && !rung.has(id);
    if (isFreed && owned.has(id)) fail('claims', `${id} ended as ${ended_reason}, and holds claims`, [id]);
    const keys = Object.values(dayClaimKeys(call, lead, claims_day));
    const missing = rung.has(id) ? keys.filter((key) => owners.get(key) !== id) : [];
    if (missing.length > 0) fail('claims', `${id} rang, and does not hold ${missing}`, [id]);
  }
}

/** Fails if a lead that may be called again after a stop was refused because of a call that the stop had canceled. */
function checkPrevented(fail: Fail, { entries, calls, crmLeads, isListed }: End): void {
  const callsOf = Map.groupBy(calls, ({ lead }) => `${lead?.connection_id} ${lead?.lead_id}`);
  for (const { connection_id, lead_id = '', event_id, outcome, at } of entries) {
    const isPrevented = /^already_called/.test(outcome) && crmLeads.isRestored(connection_id, lead_id, at);
    const others = callsOf.get(`${connection_id} ${lead_id}`) ?? [];
    const wasStopped = (call: Call) =>
      /^(do_not_call|owner_mismatch)$/.test(call.ended_reason ?? '') && !isListed(call);
    if (isPrevented && others.every(wasStopped))
      fail('lost lead', `${event_id} is ${outcome}, but the calls of ${lead_id} were stopped`, [
        event_id,
        ...others.map(({ call_id }) => call_id),
      ]);
  }
}

/**
 * Fails if a lead was refused for good because other leads with its phone had calls, although all of these calls were
 * stopped before they rang. If one of the other leads had the do-not-call flag, the refusal is right.
 */
function checkBehind(fail: Fail, { entries, calls, crmLeads }: End): void {
  const callsOf = Map.groupBy(calls, ({ org_id, phone_number }) => phoneHash(org_id, phone_number));
  for (const { event_id, outcome, phone_hash = '', call_id: own, superseded_by, test, at } of entries) {
    if (outcome !== 'phone_already_called' || superseded_by || test) continue;
    const wasStopped = ({ ended_reason = '', lead }: Call) =>
      /^(owner_mismatch|lead_not_found|auto_call_disabled)$/.test(ended_reason) &&
      !(lead && crmLeads.wasFlagged(lead.connection_id, lead.lead_id));
    // Calls that claimed the phone on the day of the entry or later: the entry has the time of its message, so the call
    // that prevented it may be newer.
    const others = (callsOf.get(phone_hash) ?? []).filter(
      ({ call_id, lead, claims_day = '' }) => call_id !== own && lead && claims_day >= istDay(new Date(at)),
    );
    if (others.some(({ ended_at = '9999' }) => at < ended_at) && others.every(wasStopped))
      fail('lost lead', `${event_id} is ${outcome}, but the calls of its phone were stopped`, [
        event_id,
        ...others.map(({ call_id }) => call_id),
      ]);
  }
}

/** Fails unless Activity records that a limit delayed a lead's call, and how the call ended if it was not dialed. */
function checkDelayed(fail: Fail, { delayed, entries }: End, calls: ReadonlyMap<string, Call>): void {
  const outcomes = Map.groupBy(entries, ({ call_id = '' }) => call_id);
  for (const id of delayed) {
    const { lead, dial_claimed_at, ended_reason = '' } = calls.get(id) as Call;
    if (!lead) continue;
    const outcomesShown: string[] = (outcomes.get(id) ?? []).map(({ outcome }) => outcome);
    const check = (isRight: boolean, text: string) => {
      if (!isRight) fail('spend', `a limit delayed ${id}; ${text}: ${outcomesShown}`, [id]);
    };
    check(outcomesShown.includes('spend_limit_reached'), 'Activity does not record it');
    if (!dial_claimed_at && !BY_PERSON.test(ended_reason))
      check(outcomesShown.includes(ended_reason), `it ended as ${ended_reason}, without an entry`);
  }
}
