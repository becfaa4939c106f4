import type { Call } from '../../../shared/domain/calls/call.ts';
import type { StageSlots } from '../stage-slots.ts';
import type { Fail } from './violation.ts';
import { liveOf, livesFrom, turnOf, type WaitingState, type WaitingTenant, waitingFrom } from './waiting-state.ts';

/** The most organizations of the list that a hand-over reads, and the most calls for which it reserves slots. */
const [MAX_ORGS, MAX_AT_ONCE] = [12, 10];
/** A stage with more slots reserves them in steps. */
const MANY_SLOTS = 12;

/** The calls that one transaction gave slots, by organization. Only facts that have held since `fromMs` count. */
export type HandOver = { taken: ReadonlyMap<string, readonly Call[]>; fromMs: number };

const isAmong = (calls: readonly Call[], id: string): boolean => calls.some(({ call_id }) => call_id === id);

/** Checks a hand-over against the state before it (docs/call-lifecycle.md, "Sharing of slots"). */
export function handOverCheck(fail: Fail, now: () => number, { tenants, stage }: WaitingState, stageSlots: StageSlots) {
  const checkOrder = (orgId: string, { taken, fromMs }: HandOver): void => {
    const calls = taken.get(orgId) ?? [];
    const last = calls.reduce((one, other) => (turnOf(one) > turnOf(other) ? one : other));
    for (const [id, { turn }] of waitingFrom(tenants.get(orgId), fromMs, now()))
      if (turn < turnOf(last) && !isAmong(calls, id))
        fail('fairness', `${last.call_id} (${turnOf(last)}) got a slot before ${id} (${turn})`, [last.call_id, id]);
  };

  /** Returns whether the hand-over read the organization: it is one of those that have waited longest. */
  const isRead = ({ isListed, place }: WaitingTenant, fromMs: number): boolean => {
    if (!isListed.value || isListed.ms >= fromMs) return false;
    const mayPrecede = (one: WaitingTenant) =>
      one.isListed.ms >= fromMs || (one.isListed.value && (one.place.ms >= fromMs || one.place.value <= place.value));
    return [...tenants.values()].filter(mayPrecede).length <= MAX_ORGS;
  };

  /** Returns whether an organization could have taken one more slot. */
  const couldTakeMore = (orgId: string, tenant: WaitingTenant, { taken, fromMs }: HandOver): boolean => {
    const calls = taken.get(orgId) ?? [];
    const { limit } = tenant;
    if (limit.ms >= fromMs || livesFrom(tenant, fromMs).most + calls.length >= limit.value) return false;
    return isRead(tenant, fromMs) && waitingFrom(tenant, fromMs, now()).some(([id]) => !isAmong(calls, id));
  };

  /** Compares an organization, before its last slot, with the others. Among equals, the longest wait decides. */
  const checkShare = (orgId: string, tenant: WaitingTenant, handOver: HandOver): void => {
    const { taken, fromMs } = handOver;
    const live = livesFrom(tenant, fromMs).least + (taken.get(orgId)?.length ?? 0) - 1;
    for (const [otherId, other] of tenants) {
      if (otherId === orgId || !couldTakeMore(otherId, other, handOver)) continue;
      const otherLive = livesFrom(other, fromMs).most + (taken.get(otherId)?.length ?? 0);
      const [since, otherSince] = [tenant.place, other.place];
      const isLater = since.value > otherSince.value && Math.max(since.ms, otherSince.ms) < fromMs;
      if (live < otherLive || (live === otherLive && !isLater)) continue;
      const facts = `${live} live calls, waiting since ${since.value}`;
      const others = `${otherLive}, since ${otherSince.value}`;
      fail('fairness', `${orgId} got a slot with ${facts}; ${otherId} has ${others}`, [orgId, otherId]);
    }
  };

  /** Checks that no slot stays free while an organization could take it. */
  const checkRest = (handOver: HandOver): void => {
    const { taken, fromMs } = handOver;
    const { isPaused, isClosed } = stage;
    const count = [...taken.values()].flat().length;
    const isOpen = !isPaused.value && !isClosed.value && Math.max(isPaused.ms, isClosed.ms) < fromMs;
    const { least, most } = stageSlots.since(fromMs);
    const isFree = livesFrom(stage, fromMs).most + count < least;
    if (most > MANY_SLOTS || count >= MAX_AT_ONCE || !isOpen || !isFree) return;
    for (const [orgId, tenant] of tenants)
      if (couldTakeMore(orgId, tenant, handOver))
        fail('fairness', `a slot stays free, and ${orgId} waits with ${liveOf(tenant)} live calls`, [orgId]);
  };

  return (handOver: HandOver): void => {
    for (const orgId of handOver.taken.keys()) {
      checkOrder(orgId, handOver);
      checkShare(orgId, tenants.get(orgId) as WaitingTenant, handOver);
    }
    checkRest(handOver);
  };
}
