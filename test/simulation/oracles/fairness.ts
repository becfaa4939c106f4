import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { orgOfScope } from '../../../shared/stores/calls/slots/slots.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { Fail } from './violation.ts';

type Waiting = { turn: string; dialAfterMs: number; dialByMs: number; sinceMs: number };

type Tenant = {
  waiting: Map<string, Waiting>;
  live: number;
  /** The instant of the last change of `live`. */
  movedMs: number;
  limit: number;
  isSuspended: boolean;
  resumedMs: number;
  /**
   * The time until which it is off the list, because its calling number is closed or its live calls hold its credit.
   */
  parkedMs: number;
  /** Slots that organizations with more live calls have got since this one could have taken one. */
  overtaken: number;
};

const SECOND_MS = 1_000;
/** The highest age of the index of waiting calls. */
const LAG_MS = 15 * SECOND_MS;
/** Within this time recover-calls replaces a lost message, even if one of its runs dies. */
const RECOVERED_MS = 16 * 60 * SECOND_MS;
const MAX_OVERTAKEN = 3;

const parkedMsOf = ({ parked, parked_until }: Item = {}): number | undefined => {
  if (parked === 'credit') return Number.POSITIVE_INFINITY;
  return parked_until === undefined ? undefined : Date.parse(String(parked_until));
};

/**
 * At each slot that is handed over (docs/call-lifecycle.md, "Who gets the next slot"): it goes to the waiting
 * organization with the fewest live calls, and within it to a client's call before a lead's, and to the older one.
 * @param isCalm whether no message can be lost
 */
export function fairnessOracle(fail: Fail, now: () => number, isCalm: boolean) {
  const tenants = new Map<string, Tenant>();
  const turns: { orgId: string; callId: string; turn: string }[] = [];

  const tenantOf = (orgId: string): Tenant => {
    const tenant = tenants.get(orgId) ?? {
      waiting: new Map(),
      live: 0,
      movedMs: 0,
      limit: Number.POSITIVE_INFINITY,
      isSuspended: false,
      resumedMs: 0,
      parkedMs: 0,
      overtaken: 0,
    };
    tenants.set(orgId, tenant);
    return tenant;
  };

  const onCall = (before: Call | undefined, after: Call): void => {
    const { call_id: id, org_id: orgId, lead, dial_after, dial_by } = after;
    const tenant = tenantOf(orgId);
    const turn = `${lead ? 2 : 1} ${dial_after}`;
    const moved = (after.slots ? 1 : 0) - (before?.slots ? 1 : 0);
    if (moved !== 0) {
      tenant.live += moved;
      tenant.movedMs = now();
    }
    if (moved > 0) turns.push({ orgId, callId: id, turn });
    if (after.unfinished !== 'waiting') tenant.waiting.delete(id);
    else {
      const sinceMs = tenant.waiting.get(id)?.sinceMs ?? now();
      tenant.waiting.set(id, { turn, dialAfterMs: Date.parse(dial_after), dialByMs: Date.parse(dial_by), sinceMs });
    }
  };

  const onOrg = ({ org_id, suspended_at, max_live_calls }: Organization): void => {
    const tenant = tenantOf(org_id);
    if (tenant.isSuspended && !suspended_at) tenant.resumedMs = now();
    tenant.isSuspended = suspended_at !== undefined;
    tenant.limit = max_live_calls ?? Number.POSITIVE_INFINITY;
  };

  const onSlots = (before: Item | undefined, after: Item): void => {
    const until = parkedMsOf(after);
    if (until === parkedMsOf(before)) return;
    const tenant = tenantOf(orgOfScope(String(after.scope)));
    tenant.parkedMs = until ?? Math.min(tenant.parkedMs, now());
  };

  const waitsLong = ({ dialAfterMs, dialByMs, sinceMs }: Waiting, ms: number): boolean =>
    dialByMs > now() && Math.max(dialAfterMs, sinceMs) < now() - ms;

  const couldTake = ({ waiting, live, limit, movedMs, isSuspended, resumedMs, parkedMs }: Tenant): boolean => {
    if (isSuspended || live >= limit || resumedMs > now() - RECOVERED_MS) return false;
    const ms = isCalm ? LAG_MS : RECOVERED_MS;
    return Math.max(movedMs, parkedMs) < now() - ms && [...waiting.values()].some((call) => waitsLong(call, ms));
  };

  const checkOrder = (orgId: string, callId: string, turn: string): void => {
    for (const [other, call] of tenantOf(orgId).waiting)
      if (call.turn < turn && waitsLong(call, LAG_MS))
        fail('fairness', `${callId} got a slot before ${other} of ${orgId}: ${turn}, ${call.turn}`, [callId, other]);
  };

  return {
    onChange(table: TableName, before: Item | undefined, after: Item | undefined): void {
      if (table === 'calls') onCall(before as Call | undefined, after as Call);
      if (table === 'organizations') onOrg(after as Organization);
      if (table === 'slots' && after) onSlots(before, after);
    },

    /** After a request, when all slots of its transaction are counted. */
    check(): void {
      for (const { orgId, callId, turn } of turns.splice(0)) {
        const taker = tenantOf(orgId);
        taker.overtaken = 0;
        checkOrder(orgId, callId, turn);
        for (const [otherId, other] of tenants) {
          if (!couldTake(other)) other.overtaken = 0;
          else if (taker.live > other.live + 1) other.overtaken += 1;
          if (other.overtaken > MAX_OVERTAKEN)
            fail('fairness', `${otherId} waits with ${other.live} live calls; ${orgId} got slot ${taker.live}`, [
              otherId,
            ]);
        }
      }
    },
  };
}
