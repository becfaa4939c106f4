import type { ErasedRecord } from '../../../domain/after-call/erasure/erased-record.ts';
import { pseudonymOf } from '../../../domain/after-call/erasure/erasure-receipt.ts';
import { isWaiting } from '../../../domain/calls/call.ts';
import { isTerminal } from '../../../domain/calls/call-status.ts';
import { busyUntil, type Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import { canonicalE164 } from '../../../domain/text/national-number.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import { type CancelCallDeps, cancelCall } from '../../calls/cancel-call.ts';
import { audited } from '../../organizations/steps/audited-change.ts';
import { type CountDataDeps, countData } from './count-data.ts';
import { type ErasePlatformDeps, erasePlatform, type PlatformAnswers, type PlatformErasure } from './erase-platform.ts';
import { type EraseRecordsDeps, eraseRecords } from './erase-records.ts';
import { type RemoveDataDeps, removeData, removeStored } from './remove-data.ts';

export type EraseCallDeps = CancelCallDeps &
  CountDataDeps &
  RemoveDataDeps &
  ErasePlatformDeps &
  EraseRecordsDeps & {
    erasures: CallErasures;
    /** The key that makes pseudonyms and signs receipts. */
    personKey: string;
  };

export type CallErasure =
  | { kind: 'call_not_found' }
  /** It is ringing or being dialed. Nothing was changed. */
  | { kind: 'live' }
  /** `platform`: the result at the voice platform. `records`: the results for records in remote systems. */
  | { kind: 'erased'; tombstone: Tombstone; records: ErasedRecord[]; platform: PlatformErasure };

const MAX_TRIES = 5;

/**
 * Erases a call with all its data (docs/personal-data.md, "Erasing a call"). A waiting or scheduled call is canceled
 * first. A repeat after a crash continues where the first run ended; a repeat after the end removes data stored since,
 * and retries the deletions that remote systems have not confirmed. The ledger and the daily counters stay: they
 * identify no called person.
 */
export async function eraseCall(deps: EraseCallDeps, actor: Actor, callId: string): Promise<CallErasure> {
  const begun = await beginErasure(deps, actor, callId);
  if (begun.kind !== 'begun') return begun;
  const tombstone = await endErasure(deps, callId, begun.tombstone);
  const answers: PlatformAnswers = new Map();
  await erasePlatform(deps, tombstone, answers);
  const records = (await eraseRecords(deps, tombstone.erased_of, [tombstone])).get(callId) ?? [];
  // Remote systems may have taken minutes, in which the platform may have revealed another id.
  const platform = await erasePlatform(deps, tombstone, answers);
  return { kind: 'erased', tombstone, records, platform };
}

type Begun = Exclude<CallErasure, { kind: 'erased' }> | { kind: 'begun'; tombstone: Tombstone };

/**
 * Hides the call from readers and workers, with an audit entry in the same transaction.
 * @returns the tombstone. Its `busy_until` is a time of this machine's clock
 * @throws if workers keep changing the call.
 */
export async function beginErasure(deps: EraseCallDeps, actor: Actor, callId: string): Promise<Begun> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const { call, tombstone } = (await deps.erasures.get(callId)) ?? {};
    if (tombstone?.removed_at !== undefined && tombstone.rest_erased_at === undefined) {
      await beginRest(deps, actor, tombstone);
      continue;
    }
    // Another run stored `busy_until`, perhaps on a machine with another clock: this run waits by its own clock.
    const isBusy = tombstone?.busy_until !== undefined;
    if (tombstone) return { kind: 'begun', tombstone: { ...tombstone, busy_until: busyUntil(isBusy, deps.now()) } };
    if (!call) return { kind: 'call_not_found' };
    if (!isTerminal(call.status)) {
      if (call.status !== 'scheduled' && !isWaiting(call)) return { kind: 'live' };
      await cancelCall(deps, actor, { call_id: callId });
      continue;
    }
    const made = await countData(deps, call);
    const result = await deps.transact({
      call: deps.erasures.beginning(made, call, canonicalE164(call.phone_number)),
      audit: noting(deps, actor, made),
    });
    if (result.committed) return { kind: 'begun', tombstone: made };
  }
  throw new Error(`call ${callId} changed in each of ${MAX_TRIES} tries`);
}

/**
 * Begins to erase the remaining files and notifications of a call that the table has removed after its retention. Adds
 * an audit entry, as `beginErasure` does.
 */
async function beginRest(deps: EraseCallDeps, actor: Actor, { call_id, erased_of, found }: Tombstone): Promise<void> {
  const files = await deps.fileErasures.count({ call_id, org_id: erased_of });
  const callbacks = (await deps.callbacks.listOfCall(call_id)).length;
  const rest = { call_id, found: { ...found, files, callbacks }, rest_erased_at: deps.now().toISOString() };
  await deps.transact({
    call: deps.erasures.beginningRest(rest),
    audit: noting(deps, actor, { erased_of, ...rest }),
  });
}

function noting(
  deps: EraseCallDeps,
  actor: Actor,
  { call_id, erased_of, found }: Pick<Tombstone, 'call_id' | 'erased_of' | 'found'>,
): Write {
  const thing = { id: call_id, name: 'call' };
  const { remote_records, ...after } = found;
  const change = { org_id: erased_of, actor, action: 'call.erased' as const, thing, after };
  return audited(deps, change);
}

/**
 * Removes the data of a call whose erasure has begun, and leaves its tombstone, with the called person's pseudonym.
 * @param begun as `beginErasure` returned it
 * @throws if the platform keeps revealing ids
 */
export async function endErasure(deps: EraseCallDeps, callId: string, begun: Tombstone): Promise<Tombstone> {
  const { call, tombstone = begun } = (await deps.erasures.get(callId)) ?? {};
  if (!call) {
    // A report that no worker applied may have left a long transcript.
    await removeStored(deps, { call_id: callId, org_id: tombstone.erased_of });
    return tombstone;
  }
  await removeData(deps, call, begun);
  const person = pseudonymOf(deps.personKey, call.org_id, canonicalE164(call.phone_number));
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const latest = await deps.erasures.get(callId);
    if (!latest?.call || !latest.tombstone) return latest?.tombstone ?? tombstone;
    const { busy_until: _, ...rest } = latest.tombstone;
    const ended = { ...rest, erasure_done_at: deps.now().toISOString() };
    if (await deps.erasures.end(ended, { person, created_at: call.created_at })) return ended;
  }
  throw new Error(`the tombstone of ${callId} changed in each of ${MAX_TRIES} tries`);
}
