import type { StageSlots } from '../stage-slots.ts';
import type { Fail } from './violation.ts';
import { livesFrom, type WaitingState, waitingFrom } from './waiting-state.ts';

const MINUTE_MS = 60_000;
/** The lease of a probe whose worker died, and the hand-over after it. */
const CALM_MS = 2 * MINUTE_MS;
/** Within this time recover-calls replaces a lost message, even if one of its runs dies. */
const RECOVERED_MS = 16 * MINUTE_MS;

/**
 * Checks, once a minute, that no call waits for long although it could be dialed: slots are free, dialing is not
 * paused, the gate's closed time is over, and the call's organization is below its limit and not parked.
 * @param isCalm whether no message can be lost
 */
export function starvationCheck(
  fail: Fail,
  now: () => number,
  { tenants, stage }: WaitingState,
  { stageSlots, isCalm }: { stageSlots: StageSlots; isCalm: boolean },
) {
  return (): void => {
    const fromMs = now() - (isCalm ? CALM_MS : RECOVERED_MS);
    const { isPaused, closedUntilMs } = stage;
    // No message wakes hand-over-slots when a simulated operator resumes dialing.
    if (isPaused.value || isPaused.ms >= now() - RECOVERED_MS || closedUntilMs >= fromMs) return;
    if (livesFrom(stage, fromMs).most >= stageSlots.since(fromMs).least) return;
    for (const [orgId, tenant] of tenants) {
      const { limit, parkedMs, resumedMs } = tenant;
      if (parkedMs >= fromMs || resumedMs >= fromMs || limit.ms >= fromMs) continue;
      if (livesFrom(tenant, fromMs).most >= limit.value) continue;
      const [starving] = waitingFrom(tenant, fromMs, now());
      if (starving) fail('fairness', `${starving[0]} waits for long, although slots are free`, [starving[0], orgId]);
    }
  };
}
