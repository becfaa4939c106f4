import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal, rankOf } from '../../../shared/domain/calls/call-status.ts';
import { chargeFor } from '../../../shared/domain/organizations/credit.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { Fail } from './violation.ts';

/** A tolerance: more than the difference of any two clocks, and longer than any process runs. */
const HOUR_MS = 60 * 60_000;

/**
 * Returns whether an ended call ended between its creation and its last progress, and lasted no longer than from its
 * dial to that progress.
 */
function hasCredibleTimes({ created_at, dial_claimed_at, ended_at = '', progress_at, duration = 0 }: Call): boolean {
  const [fromMs, toMs, endMs] = [created_at, progress_at, ended_at].map((at) => Date.parse(at)) as [
    number,
    number,
    number,
  ];
  const longestMs = toMs - Date.parse(dial_claimed_at ?? created_at) + HOUR_MS;
  return endMs >= fromMs - HOUR_MS && endMs <= toMs + HOUR_MS && duration * 1000 <= longestMs;
}

/**
 * Checks, after every write, that a call's status only advances, unless it is postponed before its dial, that its first
 * end is final and has a reason and credible times, and that its cost matches its duration.
 */
export function callsOracle(fail: Fail) {
  const unfinished = new Map<string, Call>();
  const reservations = new Map<string, number>();
  let created = 0;
  const check = (before: Call | undefined, after: Call): void => {
    const { call_id: id, status } = after;
    if (isTerminal(status) && !after.ended_reason) fail('call state', `${id} ended without a reason`, [id]);
    if (isTerminal(status) && !hasCredibleTimes(after))
      fail('call state', `${id} ended at ${after.ended_at} after ${after.duration} s`, [id]);
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
      if (call.unfinished) unfinished.set(call.call_id, call);
      else unfinished.delete(call.call_id);
      if (call.slots && !(before as Call | undefined)?.slots)
        reservations.set(call.call_id, (reservations.get(call.call_id) ?? 0) + 1);
      check(before as Call | undefined, call);
    },
    unfinished,
    isQuiet: (soon: string): boolean =>
      [...unfinished.values()].every(
        ({ status, scheduled_for = '' }) => status === 'scheduled' && scheduled_for > soon,
      ),
    /** The number of times that a call got slots. */
    reservations,
    get created() {
      return created;
    },
  };
}
