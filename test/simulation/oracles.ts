import type { TableName } from '../../lib/tables.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { isTerminal, rankOf } from '../../shared/domain/calls/call-status.ts';
import type { ActivityEntry } from '../../shared/domain/connections/activity.ts';
import { chargeFor } from '../../shared/domain/organizations/credit.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import type { Item } from '../unit/support/expression.ts';

/** A promise of the service that a run broke. `about`: ids that its steps mention. */
export type Violation = { oracle: Oracle; text: string; about: string[] };
export type Oracle =
  | 'double ring'
  | 'called twice a day'
  | 'rang when it must not'
  | 'credit'
  | 'lines'
  | 'call state'
  | 'lost lead'
  | 'lost request'
  | 'claims'
  | 'drained'
  | 'dial messages'
  | 'fairness';

export type Fail = (oracle: Oracle, text: string, about: string[]) => void;

/** After every write: a call's status only moves up, its first end is final, and its cost is that of its duration. */
export function callsOracle(fail: Fail) {
  const unfinished = new Set<string>();
  let created = 0;
  const check = (before: Call | undefined, after: Call): void => {
    const { call_id: id, status } = after;
    if (isTerminal(status) && !after.ended_reason) fail('call state', `${id} ended without a reason`, [id]);
    if (isTerminal(status) && after.cost !== chargeFor(after, after.duration ?? 0).cost)
      fail('credit', `${id}: ${after.duration} s cost ${after.cost}`, [id]);
    if (!before) return;
    const isBack = rankOf(status) < rankOf(before.status);
    if (isBack && !(status === 'scheduled' && !before.dial_claimed_at))
      fail('call state', `${id} moved from ${before.status} to ${status}`, [id]);
    if (
      isTerminal(before.status) &&
      (before.status !== status || before.cost !== after.cost || before.ended_at !== after.ended_at)
    )
      fail('call state', `${id} ended twice: ${before.status}, then ${status}`, [id]);
  };
  return {
    onChange(table: TableName, before: Item | undefined, after: Item | undefined): void {
      if (table !== 'calls') return;
      const call = after as Call;
      if (!before) created += 1;
      if (call.unfinished) unfinished.add(call.call_id);
      else unfinished.delete(call.call_id);
      check(before as Call | undefined, call);
    },
    unfinished,
    get created() {
      return created;
    },
  };
}

/** Ends that prove that no phone rang, so that the lead may be called by the next event (docs/leads.md, "Claims"). */
const FREED =
  /^(expired|assistant_missing|platform_unreachable|do_not_call|canceled_by_operator|(phone_)?already_called)$/;

type End = {
  calls: readonly Call[];
  claims: readonly Item[];
  entries: readonly ActivityEntry[];
  /** Events that were accepted, and calls that clients were promised. */
  events: readonly LeadEvent[];
  promised: readonly string[];
  rung: ReadonlySet<string>;
};

/** At the end of a run, when nothing is left to do. */
export function checkEnd(fail: Fail, { calls, claims, entries, events, promised, rung }: End): void {
  const byId = new Map(calls.map((call) => [call.call_id, call]));
  const decided = new Map(entries.map((entry) => [`${entry.connection_id} ${entry.event_id}`, entry]));
  for (const { connection_id, event_id } of events) {
    const entry = decided.get(`${connection_id} ${event_id}`);
    if (!entry) fail('lost lead', `${event_id} has no entry in Activity`, [event_id]);
    else if (entry.call_id && !byId.has(entry.call_id))
      fail('lost lead', `${event_id}: no call ${entry.call_id}`, [event_id]);
  }
  for (const callId of promised) if (!byId.has(callId)) fail('lost request', `${callId} was promised`, [callId]);
  for (const { call_id: id, status } of calls) if (!isTerminal(status)) fail('drained', `${id} is ${status}`, [id]);

  const owned = new Set(claims.map(({ call_id }) => String(call_id)));
  for (const call of calls) {
    const { call_id: id, lead, ended_reason = '', scheduled_for } = call;
    if (!lead) continue;
    const isFreed = FREED.test(ended_reason) && !rung.has(id);
    if (isFreed && owned.has(id)) fail('claims', `${id} ended as ${ended_reason}, and holds claims`, [id]);
    if (rung.has(id) && !owned.has(id))
      fail('claims', `${id} rang (${scheduled_for ?? 'at once'}), and holds no claim`, [id]);
  }
}
