import type { TableName } from '../../../lib/tables.ts';
import type { DialOutcome } from '../../../shared/integrations/voice/voice-platform.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { PlatformRecord } from '../platform.ts';
import type { Fail } from './violation.ts';
import { GATE_SCOPE } from './waiting-state.ts';

const MINUTE_MS = 60_000;
/** Workers may die, one after the other, between an accepted dial and the record of it. */
const MAX_RUNG = 3;
/** Dials that were under way at the first refusal, and the first probes, whose back-off is shorter than a minute. */
const FIRST_REFUSALS = 14;

/**
 * Checks that the gates before the platform and before a calling number open once the platform has dialed a probe, and
 * that a platform that refuses the account gets at most one probe a minute.
 */
export function gateOracle(fail: Fail, now: () => number) {
  /** The closed gates, with the phones that have rung since. */
  const closed = new Map<string, { untilMs: number; rung: number }>();
  let refusals: number[] = [];

  return {
    onChange(table: TableName, _before: Item | undefined, after: Item | undefined): void {
      if (table !== 'slots' || !after) return;
      const scope = String(after.scope);
      if (after.closed_until === undefined) return void closed.delete(scope);
      const untilMs = Date.parse(String(after.closed_until));
      if (untilMs !== closed.get(scope)?.untilMs) closed.set(scope, { untilMs, rung: 0 });
    },

    onRing({ isQueued, isUnanswered, createdMs, callId, numberId = 'default' }: PlatformRecord): void {
      if (isQueued || isUnanswered) return;
      for (const scope of [GATE_SCOPE, `number#${numberId}`]) {
        const gate = closed.get(scope);
        if (!gate || createdMs < gate.untilMs) continue;
        gate.rung += 1;
        if (gate.rung > MAX_RUNG) fail('gate', `${gate.rung} phones have rung, but ${scope} is not open`, [callId]);
      }
    },

    onDialed(outcome: DialOutcome): void {
      if (outcome.kind === 'accepted') refusals = [];
      if (outcome.kind !== 'not_dialed' || outcome.limit !== 'account') return;
      if (outcome.retryAfterSeconds !== undefined) return;
      refusals.push(now());
      const minutes = (now() - (refusals[0] as number)) / MINUTE_MS;
      if (refusals.length > FIRST_REFUSALS + minutes)
        fail('gate', `the account was refused ${refusals.length} times in ${minutes.toFixed(0)} minutes`, []);
    },
  };
}
