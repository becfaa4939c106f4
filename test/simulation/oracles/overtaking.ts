import type { Fail } from './violation.ts';
import { liveOf, livesFrom, type WaitingState, type WaitingTenant, waitingFrom } from './waiting-state.ts';

const SECOND_MS = 1_000;
/** Within this time an organization is on the list if no message is lost. */
const LISTED_MS = 15 * SECOND_MS;
/** Within this time recover-calls replaces a lost message, even if one of its runs dies. */
const RECOVERED_MS = 16 * 60 * SECOND_MS;
const MAX_OVERTAKEN = 3;

/**
 * Checks, at each slot that an organization gets, that all others that should be on the list are on it: no organization
 * is overtaken again and again.
 * @param isCalm whether no message can be lost
 */
export function overtakingCheck(fail: Fail, now: () => number, { tenants }: WaitingState, isCalm: boolean) {
  /** Slots that organizations with more live calls have got while this one could have taken them. */
  const overtaken = new Map<string, number>();

  const couldTake = (tenant: WaitingTenant, fromMs: number): boolean =>
    tenant.resumedMs < now() - RECOVERED_MS &&
    tenant.parkedMs < fromMs &&
    livesFrom(tenant, fromMs).most < tenant.limit.value &&
    waitingFrom(tenant, fromMs, now()).length > 0;

  return (orgId: string): void => {
    overtaken.delete(orgId);
    const live = liveOf(tenants.get(orgId) as WaitingTenant);
    const fromMs = now() - (isCalm ? LISTED_MS : RECOVERED_MS);
    for (const [otherId, other] of tenants) {
      const times = overtaken.get(otherId) ?? 0;
      if (!couldTake(other, fromMs)) overtaken.delete(otherId);
      else if (live > livesFrom(other, fromMs).most + 1) overtaken.set(otherId, times + 1);
      if ((overtaken.get(otherId) ?? 0) > MAX_OVERTAKEN)
        fail('fairness', `${otherId} waits with ${liveOf(other)} live calls; ${orgId} got slot ${live}`, [otherId]);
    }
  };
}
