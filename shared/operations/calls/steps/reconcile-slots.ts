import { confirmedDrift, heldByScope, leastDrift } from '../../../domain/calls/slot-drift.ts';
import type { Count, TakeMeasure } from '../../../domain/metric.ts';
import { toCredits } from '../../../domain/organizations/credit.ts';
import type { CallCounts } from '../../../stores/calls/call-counts.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotCounter, SlotCounterStore } from '../../../stores/calls/slot-counters.ts';
import { orgScope, STAGE_SCOPE } from '../../../stores/calls/slots.ts';

export type ReconcileSlotsDeps = {
  calls: Pick<CallStore, 'unfinished'>;
  callCounts: Pick<CallCounts, 'holdings'>;
  counters: SlotCounterStore;
  sleep: (ms: number) => Promise<void>;
  count: Count;
  measure: TakeMeasure;
};

const READS_AT_ONCE = 25;

/** An index may lag behind its table by this long. */
const INDEX_LAG_MS = 5_000;

/**
 * Compares the slot counters with the calls that hold slots, in both directions. A difference that two runs find, and
 * that no slot on its way explains, is corrected and counted (docs/call-lifecycle.md, "recover-calls").
 * @param waiting the organizations whose calls wait: their counters matter even if no call holds a slot.
 * @returns how many slots were corrected.
 */
export async function reconcileSlots(deps: ReconcileSlotsDeps, waiting: Iterable<string>): Promise<number> {
  const calls = await callsWithSlots(deps);
  const first = heldByScope(calls);
  // A metric is paid for in each hour in which it is written.
  if (calls.length > 0) {
    deps.measure({ name: 'SlotsHeld', value: first.get(STAGE_SCOPE) ?? 0 });
    deps.measure({ name: 'CreditHeld', value: toCredits(calls.reduce((sum, { held }) => sum + held, 0)) });
  }
  const scopes = [STAGE_SCOPE, ...first.keys(), ...[...waiting].map(orgScope)];
  const before = await countersOf(deps, scopes);
  const isRight = (scope: string) => {
    const { live = 0, drift } = before.get(scope) ?? {};
    return live === (first.get(scope) ?? 0) && drift === undefined;
  };
  if (scopes.every(isRight)) return 0;
  await deps.sleep(INDEX_LAG_MS);
  const held = heldByScope(await callsWithSlots(deps));
  const after = await countersOf(deps, scopes);
  let corrected = 0;
  for (const scope of new Set(scopes)) {
    const unused: SlotCounter = { scope, live: 0, moves: 0 };
    const counter = after.get(scope) ?? unused;
    const moved = counter.moves - (before.get(scope) ?? unused).moves;
    const current = leastDrift(counter.live, held.get(scope) ?? 0, moved);
    const confirmed = confirmedDrift(counter.drift, current);
    if (confirmed !== 0) {
      if (await deps.counters.correct(counter, confirmed)) corrected += Math.abs(confirmed);
    } else if (current !== (counter.drift ?? 0)) await deps.counters.note(scope, current);
  }
  if (corrected > 0) deps.count('SlotsCorrected', corrected);
  return corrected;
}

const countersOf = async ({ counters }: ReconcileSlotsDeps, scopes: string[]): Promise<Map<string, SlotCounter>> =>
  new Map((await counters.read(scopes)).map((counter) => [counter.scope, counter]));

/** Reads the calls themselves: the index does not show their slots, and may be some seconds old. */
async function callsWithSlots({ calls, callCounts }: ReconcileSlotsDeps) {
  // A set, because a call that is claimed between the two reads is found by both.
  const found = new Set<string>();
  for (const work of ['reserved', 'claimed'] as const)
    for await (const { call_id } of calls.unfinished(work)) found.add(call_id);
  const ids = [...found];
  const read = [];
  for (let start = 0; start < ids.length; start += READS_AT_ONCE)
    read.push(...(await Promise.all(ids.slice(start, start + READS_AT_ONCE).map((id) => callCounts.holdings(id)))));
  return read.flatMap((call) => (call ? [call] : []));
}
