import { confirmedDrift, heldByScope } from '../../../domain/calls/slot-drift.ts';
import type { Count } from '../../../domain/metric.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotCounterStore } from '../../../stores/calls/slot-counters.ts';

export type ReconcileSlotsDeps = {
  calls: Pick<CallStore, 'unfinished' | 'get'>;
  counters: SlotCounterStore;
  count: Count;
};

const READS_AT_ONCE = 25;

/**
 * Compares the slot counters with the calls that hold slots, in both directions. A difference that two runs find is
 * corrected and counted (docs/call-lifecycle.md, "recover-calls").
 * @returns how many slots were corrected.
 */
export async function reconcileSlots(deps: ReconcileSlotsDeps): Promise<number> {
  const held = heldByScope(await callsWithSlots(deps));
  const counters = await deps.counters.all();
  const known = new Set(counters.map(({ scope }) => scope));
  const missing = [...held.keys()].filter((scope) => !known.has(scope)).map((scope) => ({ scope, live: 0 }));
  let corrected = 0;
  for (const counter of [...counters, ...missing]) {
    const { scope, live, drift } = { drift: undefined, ...counter };
    const current = live - (held.get(scope) ?? 0);
    const confirmed = confirmedDrift(drift, current);
    if (confirmed !== 0) {
      if (await deps.counters.correct(counter, confirmed)) corrected += Math.abs(confirmed);
    } else if (current !== (drift ?? 0)) await deps.counters.note(scope, current);
  }
  if (corrected > 0) deps.count('SlotsCorrected', corrected);
  return corrected;
}

/** Reads the calls themselves: the index does not show their slots, and may be some seconds old. */
async function callsWithSlots({ calls }: ReconcileSlotsDeps) {
  const ids: string[] = [];
  for (const work of ['reserved', 'claimed'] as const)
    for await (const { call_id } of calls.unfinished(work)) ids.push(call_id);
  const found = [];
  for (let start = 0; start < ids.length; start += READS_AT_ONCE)
    found.push(...(await Promise.all(ids.slice(start, start + READS_AT_ONCE).map((id) => calls.get(id)))));
  return found.flatMap((call) => (call ? [call] : []));
}
