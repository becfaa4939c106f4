import {
  type Bounds,
  driftBounds,
  heldBounds,
  heldByScope,
  judgeDrift,
  takenBetween,
} from '../../../domain/calls/slots/slot-drift.ts';
import type { Count, TakeMeasure } from '../../../domain/metric.ts';
import { toCredits } from '../../../domain/organizations/credit.ts';
import type { CallCounts } from '../../../stores/calls/call-counts.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotCounter, SlotCounterStore } from '../../../stores/calls/slots/slot-counters.ts';
import { orgScope, STAGE_SCOPE } from '../../../stores/calls/slots/slots.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { INDEX_LAG_SECONDS } from './choose-calls.ts';

export type ReconcileSlotsDeps = {
  calls: Pick<CallStore, 'unfinished'>;
  callCounts: Pick<CallCounts, 'holdings'>;
  counters: SlotCounterStore;
  transact: Transact;
  sleep: (ms: number) => Promise<void>;
  now: () => Date;
  count: Count;
  measure: TakeMeasure;
};

const READS_AT_ONCE = 25;

/** The clocks of two functions may differ by this much. */
const CLOCKS_MS = 500;

/**
 * Compares each organization's slot counter with the calls that hold its slots, and the stage's counter with the sum of
 * the organizations' counters, because one transaction moves both. A drift that two runs find, and that no moving slot
 * explains, is corrected and counted (docs/call-lifecycle.md, "recover-calls").
 * @param waiting the organizations whose calls wait: their counters matter even if no call holds a slot
 * @returns how many slots were corrected
 */
export async function reconcileSlots(deps: ReconcileSlotsDeps, waiting: Iterable<string>): Promise<number> {
  const listed = await idsWithSlots(deps);
  const first = await holdingsOf(deps, listed);
  const held = heldByScope(first.values());
  // A metric is billed for each hour in which it is written.
  if (first.size > 0) {
    const credit = [...first.values()].reduce((sum, call) => sum + call.held, 0);
    deps.measure({ name: 'SlotsHeld', value: held.get(STAGE_SCOPE) ?? 0 });
    deps.measure({ name: 'CreditHeld', value: toCredits(credit) });
  }
  const scopes = new Set([...held.keys(), ...[...waiting].map(orgScope)]);
  scopes.delete(STAGE_SCOPE);
  // Reads the stage's counter first here and last below, so that its moves include every move that the others show.
  const stageBefore = await stageOf(deps);
  const before = await countersOf(deps, scopes);
  const isRight = ({ scope, live, drift }: SlotCounter) => live === (held.get(scope) ?? 0) && drift === undefined;
  if ([stageBefore, ...before.values()].every(isRight)) return 0;
  const since = new Date(deps.now().getTime() + CLOCKS_MS).toISOString();
  await deps.sleep(INDEX_LAG_SECONDS * 1000);
  const ids = new Set([...listed, ...(await idsWithSlots(deps))]);
  const earlier = await holdingsOf(deps, ids);
  for (const scope of heldByScope(earlier.values()).keys()) if (scope !== STAGE_SCOPE) scopes.add(scope);
  const after = await countersOf(deps, scopes);
  const stageAfter = await stageOf(deps);
  const later = await holdingsOf(deps, ids);

  let ofOrgs = 0;
  let corrected = 0;
  for (const counter of after.values()) {
    const taken = takenBetween(before.get(counter.scope) ?? unused(counter.scope), counter);
    const calls = heldBounds(counter.scope, [earlier, later], { taken, since });
    const by = await settle(deps, counter, driftBounds(counter.live, calls));
    ofOrgs += by;
    corrected += Math.abs(by);
  }
  const orgs = [...after.values()].reduce((sum, { live }) => sum + live, 0);
  const moved =
    movesOf([stageBefore], [stageAfter]) - movesOf(before.values(), [...after.values()].filter(isIn(before)));
  const difference = stageAfter.live - orgs;
  const bounds = { least: difference - moved, most: difference + moved };
  // The corrections of the organizations' counters have moved the stage's counter, too.
  corrected += Math.abs(ofOrgs + (await settle(deps, stageAfter, bounds)));
  if (corrected > 0) deps.count('SlotsCorrected', corrected);
  return corrected;
}

const unused = (scope: string): SlotCounter => ({ scope, live: 0, moves: 0 });

const isIn =
  (counters: ReadonlyMap<string, SlotCounter>) =>
  ({ scope }: SlotCounter) =>
    counters.has(scope);

const sumOfMoves = (counters: Iterable<SlotCounter>): number =>
  [...counters].reduce((sum, { moves }) => sum + moves, 0);

/** Counts the slots that moved between two reads of the same counters. */
const movesOf = (before: Iterable<SlotCounter>, after: Iterable<SlotCounter>): number =>
  sumOfMoves(after) - sumOfMoves(before);

/**
 * Corrects a counter by the drift that two runs agree on, or records the drift for the next run. An organization's
 * correction applies to the stage's counter, too. A transaction has a token, so that a repeat by the SDK after a lost
 * answer neither subtracts twice nor is refused.
 * @returns the correction
 */
async function settle(
  { counters, transact }: ReconcileSlotsDeps,
  counter: SlotCounter,
  drift: Bounds,
): Promise<number> {
  const { correct: by, note } = judgeDrift(counter.drift, drift);
  if (by === 0) {
    if (note !== (counter.drift ?? 0)) await counters.note(counter.scope, note);
    return 0;
  }
  const { committed } = await transact({
    counter: counters.correcting(counter, by),
    stage: counter.scope === STAGE_SCOPE ? undefined : counters.correctingStageToo(by),
  });
  return committed ? by : 0;
}

/** Reads the counters of these scopes; 0 for a scope that was never used. */
async function countersOf(
  { counters }: ReconcileSlotsDeps,
  scopes: ReadonlySet<string>,
): Promise<Map<string, SlotCounter>> {
  const read = await counters.read([...scopes]);
  return new Map([...[...scopes].map(unused), ...read].map((counter) => [counter.scope, counter]));
}

const stageOf = async (deps: ReconcileSlotsDeps): Promise<SlotCounter> =>
  (await countersOf(deps, new Set([STAGE_SCOPE]))).get(STAGE_SCOPE) ?? unused(STAGE_SCOPE);

/** Lists the calls that may hold slots, by an index that may be some seconds old. */
async function idsWithSlots({ calls }: ReconcileSlotsDeps): Promise<Set<string>> {
  const found = new Set<string>();
  for (const work of ['reserved', 'claimed'] as const)
    for await (const { call_id } of calls.unfinished(work)) found.add(call_id);
  return found;
}

/** Reads the calls themselves: the index does not show their slots. */
async function holdingsOf({ callCounts }: ReconcileSlotsDeps, ids: ReadonlySet<string>) {
  const left = [...ids];
  const read: [string, NonNullable<Awaited<ReturnType<CallCounts['holdings']>>>][] = [];
  while (left.length > 0) {
    const some = left.splice(0, READS_AT_ONCE);
    const found = await Promise.all(some.map(async (id) => [id, await callCounts.holdings(id)] as const));
    for (const [id, call] of found) if (call) read.push([id, call]);
  }
  return new Map(read);
}
