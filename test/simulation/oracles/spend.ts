import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { Fail } from './violation.ts';

/** The amount that a call adds to the spend of a day: its hold while it is open, and its cost afterwards. */
type Counted = { scopes: string[]; day: string; units: number };
type Day = { byCalls: number; byCounter: number };

/** How long a dial may be under way: it may have used a limit that an operator has lowered since. */
const DIAL_MS = 2 * 60_000;
const STAGE = 'stage';
const COUNTER = 'spend#';

/**
 * Checks, after every write, that the counter of each organization and of the stage equals the amount that the calls
 * dialed on that day cost or may cost, and that no dial exceeds a limit (docs/call-lifecycle.md, "Daily spend limits").
 * @param now milliseconds @param stageLimit units; undefined if the stage has no limit
 */
export function spendOracle(fail: Fail, now: () => number, stageLimit: number | undefined) {
  const counted = new Map<string, Counted>();
  const days = new Map<string, Day>();
  /** The limits of an organization: the last one is the present one, without an end. */
  const limits = new Map<string, { units: number; untilMs: number }[]>();
  const touched = new Set<string>();
  const dials: { callId: string; scope: string; day: string }[] = [];
  /** Calls that a limit has delayed. */
  const delayed = new Set<string>();

  const dayOf = (scope: string, day: string): Day => {
    const key = `${scope} on ${day}`;
    touched.add(key);
    const found = days.get(key) ?? { byCalls: 0, byCounter: 0 };
    days.set(key, found);
    return found;
  };

  /** The highest limit that a dial may have used. */
  const limitOf = (scope: string): number => {
    if (scope === STAGE) return stageLimit ?? Number.POSITIVE_INFINITY;
    const inForce = (limits.get(scope) ?? []).filter(({ untilMs }) => untilMs > now() - DIAL_MS);
    return Math.max(...inForce.map(({ units }) => units));
  };

  const onCall = (before: Call | undefined, after: Call): void => {
    const { call_id: id, org_id, status, held, cost = 0, dial_claimed_at: claimedAt, spend_told_on } = after;
    if (spend_told_on) delayed.add(id);
    const former = counted.get(id);
    const isDial = claimedAt !== undefined && claimedAt !== before?.dial_claimed_at;
    const day = isDial ? istDay(new Date(claimedAt)) : former?.day;
    if (day === undefined) return;
    const scopes = stageLimit === undefined ? [org_id] : [org_id, STAGE];
    // A postponed call no longer counts.
    const current = { scopes, day, units: isTerminal(status) ? cost : status === 'scheduled' ? 0 : held };
    for (const scope of former?.scopes ?? []) dayOf(scope, former?.day ?? '').byCalls -= former?.units ?? 0;
    for (const scope of current.scopes) dayOf(scope, day).byCalls += current.units;
    counted.set(id, current);
    // A second dial of a call on the same day adds no amount.
    const isAdded = isDial && (former?.day !== day || former.units === 0);
    if (isAdded) dials.push(...scopes.map((scope) => ({ callId: id, scope, day })));
  };

  const onOrg = ({ org_id, daily_limit = Number.POSITIVE_INFINITY }: Organization): void => {
    const history = limits.get(org_id) ?? [];
    limits.set(org_id, history);
    const last = history.at(-1);
    if (last?.units === daily_limit) return;
    if (last) last.untilMs = now();
    history.push({ units: daily_limit, untilMs: Number.POSITIVE_INFINITY });
  };

  return {
    delayed,
    onChange(table: TableName, before: Item | undefined, after: Item | undefined): void {
      if (table === 'calls') onCall(before as Call | undefined, after as Call);
      if (table === 'organizations') onOrg(after as Organization);
      if (table === 'usage' && String(after?.day).startsWith(COUNTER))
        dayOf(String(after?.org_id), String(after?.day).slice(COUNTER.length)).byCounter = Number(after?.committed);
    },

    /** Called after a request, when all parts of its transaction are counted. */
    check(): void {
      for (const key of touched) {
        const { byCalls, byCounter } = days.get(key) as Day;
        if (byCalls !== byCounter) fail('spend', `${key}: ${byCounter} counted, ${byCalls} by its calls`, [key]);
      }
      touched.clear();
      for (const { callId, scope, day } of dials.splice(0)) {
        const { byCalls } = dayOf(scope, day);
        if (byCalls > limitOf(scope))
          fail('spend', `${callId} was dialed: ${scope} spends ${byCalls} on ${day}, limit ${limitOf(scope)}`, [
            callId,
          ]);
      }
    },
  };
}
