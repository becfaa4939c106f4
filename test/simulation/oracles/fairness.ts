import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { StageSlots } from '../stage-slots.ts';
import { handOverCheck } from './hand-over.ts';
import { overtakingCheck } from './overtaking.ts';
import { starvationCheck } from './starvation.ts';
import type { Fail } from './violation.ts';
import { waitingState } from './waiting-state.ts';

type Change = [table: TableName, before: Item | undefined, after: Item | undefined];

/**
 * Checks that each slot is handed over to the organization on the list with the fewest live calls, and there to a
 * client's call before a lead's, and to an older call before a newer one. Also checks that an organization with a
 * waiting call is on the list.
 * @param lagMs the longest lag of an index; 0 also means that no message can be lost
 */
export function fairnessOracle(fail: Fail, now: () => number, stageSlots: StageSlots, lagMs: number) {
  const state = waitingState(now);
  const checkHandOver = handOverCheck(fail, now, state, stageSlots);
  const checkOvertaking = overtakingCheck(fail, now, state, lagMs === 0);
  const checkStarvation = starvationCheck(fail, now, state, { stageSlots, isCalm: lagMs === 0 });
  const changes: Change[] = [];
  /** When processes began a hand-over that has not given slots yet. */
  const begun = new Map<string | undefined, number>();

  return {
    /** Called once a minute. */
    checkStarvation,
    onChange: (...change: Change): void => void changes.push(change),

    /** Called when a process reads how many slots are free, which begins a hand-over. */
    onStageRead(by: string | undefined): void {
      if (!begun.has(by)) begun.set(by, now());
    },

    /** Called after a request of a process, when all changes of its transaction are known. */
    check(by: string | undefined): void {
      const calls = changes.flatMap(([table, before, after]) =>
        table === 'calls' && after?.slots && !before?.slots ? [after as Call] : [],
      );
      if (calls.length > 0) {
        // The worker has read organizations and calls one after the other since it began, in indexes that may lag.
        // It can know only what was true all this time. No other tolerance is necessary.
        const fromMs = (begun.get(by) ?? now()) - lagMs;
        begun.delete(by);
        checkHandOver({ taken: Map.groupBy(calls, ({ org_id }) => org_id), fromMs });
      }
      for (const change of changes.splice(0)) state.apply(...change);
      // One hand-over may give an organization several slots at once.
      for (const orgId of new Set(calls.map(({ org_id }) => org_id))) checkOvertaking(orgId);
    },
  };
}
