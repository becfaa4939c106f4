import {
  decideRecord,
  type ErasedRecord,
  type RecordRemoval,
  whyLeft,
} from '../../../domain/after-call/erasure/erased-record.ts';
import { type RemoteRecord, recordSystems, type Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { connectionIdFor } from '../../../domain/ids.ts';
import { inBatches } from '../../../domain/in-batches.ts';
import { sortedJson } from '../../../domain/text/sorted-json.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';

/** Removes one record through a connection. */
export type RemoveRecord = (record: RemoteRecord) => Promise<RecordRemoval>;

export type EraseRecordsDeps = {
  connections: Pick<ConnectionStore, 'get'>;
  erasures: Pick<CallErasures, 'get' | 'noteRecords'>;
  remover: (connection: Connection) => Promise<RemoveRecord>;
  /** @param ms milliseconds. */
  sleep: (ms: number) => Promise<void>;
};

type Outcomes = NonNullable<Tombstone['record_outcomes']>;

/** A remote system in one run. `stopped`: why no more requests are sent there, for a kind of record or for `ALL`. */
type System = { connection: Connection | undefined; remove?: Promise<RemoveRecord>; stopped: Map<string, string> };

/** The number of calls whose records are removed concurrently: CRM-B and the help desk allow 10 concurrent requests. */
const AT_ONCE = 5;
const MAX_TRIES = 5;
const WAITS_MS = [1_000, 4_000];
/** A longer wait is left to the next run. */
const LONGEST_WAIT_SECONDS = 10;
const ALL = '';

/**
 * Removes the records that the service wrote for erased calls into CRM-B and the help desk, if the connection allows it
 * (docs/personal-data.md, "Records in CRM-B and the help desk"). A system that does not answer, or for which a right is
 * missing, gets no more requests in this run.
 * @returns the result for each record, by the call's id
 */
export async function eraseRecords(
  deps: EraseRecordsDeps,
  orgId: string,
  tombstones: readonly Tombstone[],
): Promise<Map<string, ErasedRecord[]>> {
  const systems = new Map<string, System>();
  for (const name of recordSystems) {
    if (!tombstones.some(({ found }) => found.remote_records.some(({ system }) => system === name))) continue;
    systems.set(name, { connection: await deps.connections.get(connectionIdFor(orgId, name)), stopped: new Map() });
  }
  const erased = new Map<string, ErasedRecord[]>();
  await inBatches(tombstones, AT_ONCE, async (tombstone) => {
    erased.set(tombstone.call_id, await eraseOfCall(deps, systems, tombstone));
  });
  return erased;
}

async function eraseOfCall(
  deps: EraseRecordsDeps,
  systems: ReadonlyMap<string, System>,
  { call_id, found, record_outcomes: earlier }: Tombstone,
): Promise<ErasedRecord[]> {
  const outcomes: Outcomes = { ...earlier };
  const erased: ErasedRecord[] = [];
  for (const record of found.remote_records) {
    const system = systems.get(record.system) ?? { connection: undefined, stopped: new Map() };
    const decision = decideRecord(record, system.connection, earlier);
    const result = decision === 'remove' ? await eraseOne(deps, system, record) : decision;
    erased.push({ ...record, ...result });
    if (result.outcome === 'removed' || result.outcome === 'absent') outcomes[record.record] = result.outcome;
  }
  if (erased.length === 0) return erased;
  const noted = await noteOutcomes(deps, call_id, outcomes);
  return erased.map(({ reason, ...one }) => {
    const outcome = noted[one.record];
    return outcome ? { ...one, outcome } : { ...one, ...(reason !== undefined && { reason }) };
  });
}

/**
 * Stores results beside those of other runs. A record that one run has removed is absent for the others, so `removed`
 * replaces `absent`.
 */
async function noteOutcomes({ erasures }: EraseRecordsDeps, callId: string, own: Outcomes): Promise<Outcomes> {
  const ownRemovals = Object.fromEntries(Object.entries(own).filter(([, outcome]) => outcome === 'removed'));
  let outcomes = own;
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const before = (await erasures.get(callId))?.tombstone?.record_outcomes;
    outcomes = { ...own, ...before, ...ownRemovals };
    if (sortedJson(outcomes) === sortedJson(before ?? {})) break;
    if (await erasures.noteRecords(callId, outcomes, before)) break;
  }
  return outcomes;
}

async function eraseOne(
  deps: EraseRecordsDeps,
  system: System,
  record: RemoteRecord,
): Promise<Pick<ErasedRecord, 'outcome' | 'reason'>> {
  const stop = system.stopped.get(ALL) ?? system.stopped.get(record.record);
  if (stop !== undefined) return { outcome: 'left', reason: stop };
  const removal = await removeWithRetries(deps, system, record);
  if (removal.kind === 'removed' || removal.kind === 'absent') return { outcome: removal.kind };
  const reason = whyLeft(removal);
  if (removal.kind !== 'refused') system.stopped.set(removal.kind === 'scope_missing' ? record.record : ALL, reason);
  return { outcome: 'left', reason };
}

/** Repeats a removal without effect or with an unknown outcome; if the first one worked, the second finds no record. */
async function removeWithRetries(
  { remover, sleep }: EraseRecordsDeps,
  system: System,
  record: RemoteRecord,
): Promise<RecordRemoval> {
  if (!system.connection) return { kind: 'refused', code: 'no connection' };
  system.remove ??= remover(system.connection);
  const remove = await system.remove;
  for (let attempt = 0; ; attempt += 1) {
    const removal = await remove(record);
    if (removal.kind !== 'unavailable' && removal.kind !== 'unknown') return removal;
    const { retryAfterSeconds = 0 } = removal;
    const wait = WAITS_MS[attempt];
    if (wait === undefined || retryAfterSeconds > LONGEST_WAIT_SECONDS) return removal;
    await sleep(Math.max(wait, retryAfterSeconds * 1_000));
  }
}
