import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { liveLimit } from '../../../shared/domain/calls/slots/slot-sharing.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { orgOfScope, orgScope, STAGE_SCOPE } from '../../../shared/stores/calls/slots/slots.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';

/** A value, and the instant of its last change in milliseconds. */
type Since<Value> = { value: Value; ms: number };

/** A call that waits for a slot. `turn`: its place among the calls of its organization. */
type WaitingCall = { turn: string; dialAfterMs: number; dialByMs: number; sinceMs: number };

export type WaitingTenant = {
  waiting: Map<string, WaitingCall>;
  /** The history of its number of live calls, the present number last. */
  lives: Since<number>[];
  /** Whether it is on the list of waiting organizations. */
  isListed: Since<boolean>;
  /** Its place on the list: when it got its last slot, or was listed. */
  place: Since<string>;
  limit: Since<number>;
  resumedMs: number;
  /** When its calling number opens again; infinite while it waits for the credit that its live calls hold. */
  parkedMs: number;
};

type Lives = Pick<WaitingTenant, 'lives'>;

export const GATE_SCOPE = 'platform';

/** A value that has not changed yet. */
const unchanged = <Value>(value: Value): Since<Value> => ({ value, ms: Number.NEGATIVE_INFINITY });

const parkedMsOf = ({ parked, parked_until, waiting }: Item = {}): number | undefined => {
  if (parked === 'credit' && waiting === undefined) return Number.POSITIVE_INFINITY;
  return parked_until === undefined ? undefined : Date.parse(String(parked_until));
};

/** Returns the place of a call: a client's call goes before a lead's, and an older call before a newer one. */
export const turnOf = ({ lead, dial_after }: Call): string => `${lead ? 2 : 1} ${dial_after}`;

/** Returns the calls that have waited since before an instant, and could have been dialed since then. */
export const waitingFrom = (tenant: WaitingTenant | undefined, fromMs: number, nowMs: number) =>
  [...(tenant?.waiting ?? [])].filter(
    ([, { dialAfterMs, dialByMs, sinceMs }]) => dialByMs > nowMs && dialAfterMs < fromMs && sinceMs < fromMs,
  );

/** Returns the lowest and the highest number of live calls at or after an instant. */
export function livesFrom({ lives }: Lives, fromMs: number): { least: number; most: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let index = lives.length - 1; index >= 0; index -= 1) {
    const { value, ms } = lives[index] as Since<number>;
    least = Math.min(least, value);
    most = Math.max(most, value);
    if (ms < fromMs) break;
  }
  return { least, most };
}

export const liveOf = ({ lives }: Lives): number => lives.at(-1)?.value ?? 0;

export type WaitingState = ReturnType<typeof waitingState>;

/** Follows the state that decides which call gets the next slot, at present and in the past minutes. */
export function waitingState(now: () => number) {
  const tenants = new Map<string, WaitingTenant>();
  /** All live calls, whether dialing is paused, and whether the gate before the platform is closed. */
  const stage = {
    lives: [unchanged(0)],
    isPaused: unchanged(false),
    isClosed: unchanged(false),
    /** The end of the gate's last closing, or of the lease of its last probe, whichever is later. */
    closedUntilMs: Number.NEGATIVE_INFINITY,
  };

  const tenantOf = (orgId: string): WaitingTenant => {
    const tenant = tenants.get(orgId) ?? {
      waiting: new Map(),
      lives: [unchanged(0)],
      isListed: unchanged(false),
      place: unchanged(''),
      limit: unchanged(Number.POSITIVE_INFINITY),
      resumedMs: Number.NEGATIVE_INFINITY,
      parkedMs: Number.NEGATIVE_INFINITY,
    };
    tenants.set(orgId, tenant);
    return tenant;
  };

  const onCall = (before: Call | undefined, after: Call): void => {
    const { call_id: id, org_id, dial_after, dial_by, unfinished, slots, reserved_at } = after;
    const tenant = tenantOf(org_id);
    const change = (slots ? 1 : 0) - (before?.slots ? 1 : 0);
    if (change !== 0)
      for (const counted of [tenant, stage]) counted.lives.push({ value: liveOf(counted) + change, ms: now() });
    if (change > 0 && reserved_at) tenant.place = { value: reserved_at, ms: now() };
    if (unfinished !== 'waiting') {
      tenant.waiting.delete(id);
      return;
    }
    const turn = turnOf(after);
    const former = tenant.waiting.get(id);
    const sinceMs = former?.turn === turn ? former.sinceMs : now();
    tenant.waiting.set(id, { turn, dialAfterMs: Date.parse(dial_after), dialByMs: Date.parse(dial_by), sinceMs });
  };

  const onOrg = (org: Organization): void => {
    const tenant = tenantOf(org.org_id);
    const value = liveLimit(org);
    if (value === tenant.limit.value) return;
    if (tenant.limit.value === 0) tenant.resumedMs = now();
    tenant.limit = { value, ms: now() };
  };

  const onSlots = (before: Item | undefined, after: Item): void => {
    const scope = String(after.scope);
    if (scope === STAGE_SCOPE) {
      const value = after.paused_at !== undefined;
      if (value !== stage.isPaused.value) stage.isPaused = { value, ms: now() };
    } else if (scope === GATE_SCOPE) {
      const value = after.closed_until !== undefined;
      if (value !== stage.isClosed.value) stage.isClosed = { value, ms: now() };
      const { closed_until, probe_until } = after;
      for (const until of [closed_until, probe_until])
        if (until !== undefined) stage.closedUntilMs = Math.max(stage.closedUntilMs, Date.parse(String(until)));
    } else if (scope.startsWith(orgScope(''))) {
      const tenant = tenantOf(orgOfScope(scope));
      const until = parkedMsOf(after);
      if (until !== parkedMsOf(before)) tenant.parkedMs = until ?? Math.min(tenant.parkedMs, now());
      const isListed = after.waiting !== undefined;
      if (isListed !== tenant.isListed.value) tenant.isListed = { value: isListed, ms: now() };
      const place = String(after.waiting_since);
      if (place !== tenant.place.value) tenant.place = { value: place, ms: now() };
    }
  };

  return {
    tenants,
    stage,
    apply(table: TableName, before: Item | undefined, after: Item | undefined): void {
      if (table === 'calls') onCall(before as Call | undefined, after as Call);
      if (table === 'organizations') onOrg(after as Organization);
      if (table === 'slots' && after) onSlots(before, after);
    },
  };
}
