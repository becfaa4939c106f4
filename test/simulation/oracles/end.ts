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

/** Outcomes of Activity with a call that is still to be placed. */
const UNDECIDED: readonly string[] = ['call queued', 'call scheduled', 'spend_limit_reached'];

/** The remaining state at the end of a run. */
export type End = {
  calls: readonly Call[];
  claims: readonly Item[];
  entries: readonly ActivityEntry[];
  /** Accepted events, and calls that clients were promised. */
  events: readonly LeadEvent[];
  promised: ReadonlySet<string>;
  /** Entries of leads that lacked credit or spend before the last top-up, the end of the limits, and the retry. */
  lacking: readonly ActivityEntry[];
  /** Calls that a daily spend limit has delayed. */
  delayed: ReadonlySet<string>;
  rung: ReadonlySet<string>;
  crmLeads: CrmLeads;
  /** Whether the number of a call was put on the do-not-call list. */
  isListed: (call: Call) => boolean;
  /** Second live calls of one dial that a lookup has listed, and whose end was not requested. */
  secondCalls: Iterable<Pick<PlatformRecord, 'id' | 'callId'>>;
  /** The slots that each call got, and its dial messages, by number. */
  reservations: ReadonlyMap<string, number>;
  dialMessages: ReadonlyMap<string, number>;
};

/** At the end of a run, when no work is left. */
export function checkEnd(fail: Fail, end: End): void {
  const { calls, claims, entries, events, promised, rung, reservations, dialMessages } = end;
  const byId = new Map(calls.map((call) => [call.call_id, call]));
  const decided = new Map(entries.map((entry) => [`${entry.connection_id} ${entry.event_id}`, entry]));
  for (const { connection_id, event_id, behind } of events) {
    // It is decided again only if the other lead's call frees the phone, which `checkBehind` checks.
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
    // The SDK may repeat a message, and a worker that met contention sends one more.
    const most = 2 * (reservations.get(id) ?? 0) + 2;
    if (messages > most)
      fail('dial messages', `${messages} for ${id}, which got slots ${reservations.get(id)} times`, [id]);
  }

  for (const { id, callId } of end.secondCalls) {
    // A person may end a call whose dial had no answer, because its id is not known then.
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

/** A lead that was stopped, and may be called again, was not refused because of a call that the stop canceled. */
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
 * A lead was not refused for good because of calls of other leads with its phone that all stopped unrung, unless one of
 * these leads had the do-not-call flag, whatever ended its call.
 */
function checkBehind(fail: Fail, { entries, calls, crmLeads }: End): void {
  const callsOf = Map.groupBy(calls, ({ org_id, phone_number }) => phoneHash(org_id, phone_number));
  for (const { event_id, outcome, phone_hash = '', call_id: own, superseded_by, test, at } of entries) {
    if (outcome !== 'phone_already_called' || superseded_by || test) continue;
    const wasStopped = ({ ended_reason = '', lead }: Call) =>
      /^(owner_mismatch|lead_not_found|auto_call_disabled)$/.test(ended_reason) &&
      !(lead && crmLeads.wasFlagged(lead.connection_id, lead.lead_id));
    // Calls that claimed the phone on the day of the entry or later. The entry has the time of its message, so that the
    // call that prevented it may be younger.
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

/** Activity records that a limit delayed a lead's call, and how the call ended if its phone was not dialed. */
function checkDelayed(fail: Fail, { delayed, entries }: End, calls: ReadonlyMap<string, Call>): void {
  const outcomes = Map.groupBy(entries, ({ call_id = '' }) => call_id);
  for (const id of delayed) {
    const { lead, dial_claimed_at, ended_reason = '' } = calls.get(id) as Call;
    if (!lead) continue;
    const outcomesShown: string[] = (outcomes.get(id) ?? []).map(({ outcome }) => outcome);
    const check = (isRight: boolean, text: string) => {
      if (!isRight) fail('spend', `a limit delayed ${id}; ${text}: ${outcomesShown}`, [id]);
    };
    check(outcomesShown.includes('spend_limit_reached'), 'Activity does not tell it');
    if (!dial_claimed_at && !BY_PERSON.test(ended_reason))
      check(outcomesShown.includes(ended_reason), `it ended as ${ended_reason}, without an entry`);
  }
}
