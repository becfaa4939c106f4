import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal, rankOf } from '../../../shared/domain/calls/call-status.ts';
import { chargeFor } from '../../../shared/domain/organizations/credit.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { Fail } from './violation.ts';

/** After every write: a call's status only moves up, its first end is final, and its cost matches its duration. */
export function callsOracle(fail: Fail) {
  const unfinished = new Map<string, Call>();
  const reservations = new Map<string, number>();
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
