import { confirmedDrift, heldByScope } from '../../../domain/calls/slot-drift.ts';
import type { Count } from '../../../domain/metric.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotCounter, SlotCounterStore } from '../../../stores/calls/slot-counters.ts';
import { orgScope, STAGE_SCOPE } from '../../../stores/calls/slots.ts';

export type ReconcileSlotsDeps = {
  calls: Pick<CallStore, 'unfinished' | 'get'>;
  counters: SlotCounterStore;
  count: Count;
};

const READS_AT_ONCE = 25;

/**
 * Compares the slot counters with the calls that hold slots, in both directions. A difference that two runs find is
 * corrected and counted (docs/call-lifecycle.md, "recover-calls").
 * @param waiting the organizations whose calls wait: their counters matter even if no call holds a slot.
 * @returns how many slots were corrected.
 */
export async function reconcileSlots(deps: ReconcileSlotsDeps, waiting: Iterable<string>): Promise<number> {
  const held = heldByScope(await callsWithSlots(deps));
  const scopes = new Set([STAGE_SCOPE, ...held.keys(), ...[...waiting].map(orgScope)]);
  const counters = new Map((await deps.counters.read([...scopes])).map((counter) => [counter.scope, counter]));
  let corrected = 0;
  for (const scope of scopes) {
    const counter: SlotCounter = counters.get(scope) ?? { scope, live: 0 };
    const { live, drift } = counter;
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
