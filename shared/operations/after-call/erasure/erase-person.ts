import { type ErasureReceipt, pseudonymOf } from '../../../domain/after-call/erasure/erasure-receipt.ts';
import { isWaiting } from '../../../domain/calls/call.ts';
import { isTerminal } from '../../../domain/calls/call-status.ts';
import { hiddenClaimFor, phoneClaimKey } from '../../../domain/calls/dialing/day-claims.ts';
import type { Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import { isErasedEntry, isRetryable } from '../../../domain/connections/activity.ts';
import { phoneHash } from '../../../domain/connections/phone-hash.ts';
import { inBatches } from '../../../domain/in-batches.ts';
import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { CallErasures, Erasable } from '../../../stores/calls/call-erasures.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import { audited } from '../../organizations/steps/audited-change.ts';
import { beginErasure, type EraseCallDeps, endErasure } from './erase-call.ts';
import { erasePlatform, type PlatformAnswers, type PlatformErasure } from './erase-platform.ts';
import { eraseRecords } from './erase-records.ts';
import {
  activityOfPerson,
  allCallsOfPerson,
  callsOfPerson,
  type FindPersonDeps,
  keyOf,
  type Lead,
  leadsOf,
  type Person,
} from './find-person.ts';
import { type FindStoredEventsDeps, findStoredEvents } from './find-stored-events.ts';
import { type FreeLeadClaimsDeps, freeLeadClaims } from './lead-claims.ts';
import { claimsOfPerson } from './person-claims.ts';
import { personReceipt } from './receipts.ts';
import { removeStored } from './remove-data.ts';

export type ErasePersonDeps = EraseCallDeps &
  FindPersonDeps &
  FindStoredEventsDeps &
  FreeLeadClaimsDeps & {
    erasures: CallErasures;
    activity: Pick<ActivityStore, 'removeStoredEvent'>;
    doNotCall: Pick<DoNotCallStore, 'getMany' | 'getErased' | 'listingAsHash' | 'removingClear' | 'hashOf'>;
  };

export type PersonErasure =
  /** Nothing was changed, unless a call began to ring during the run. */
  | { kind: 'live'; call_ids: string[] }
  /**
   * `platform_left`: the calls of which the voice platform may still have data. `records_left`: the distinct reasons
   * why records are left in remote systems. A repeat of the erasure retries both.
   */
  | { kind: 'erased'; receipt: ErasureReceipt; platform_left: string[]; records_left: string[] };

/**
 * Findings of a run's rounds: the leads, which later events may name without a number; the keys of the reduced entries;
 * and, for each lead, the number of its claims that calls to other numbers hold.
 */
type Seen = { leads: Map<string, Lead>; forgotten: Set<string>; claimsOfOthers: Map<string, number> };

/** The number of calls erased concurrently. */
const AT_ONCE = 5;
const MAX_TRIES = 5;
/** The most rounds of a run. Each searches for calls and Activity that are new since the previous round. */
const MAX_ROUNDS = 10;
/** The most reads of Activity in a round. Each finds up to a thousand entries of the number and of each lead. */
const MAX_READS = 100;
const KEEP_ARRIVING = 'new calls or lead events keep arriving: run the command again';
/**
 * How long a number is listed in both forms: longer than place-call may run, because it may read the two forms at
 * different times.
 */
export const BOTH_FORMS_MS = 25_000;

/**
 * Erases all data of a person (docs/personal-data.md, "Erasing a person"). Hides all calls first, so that one wait
 * covers the workers that had read them. Then searches again until it finds no more, because calls and Activity may
 * have been written meanwhile, or have been missing from the indexes. A repeat continues an interrupted run; the
 * receipt includes calls that an earlier run erased.
 * @throws if `MAX_ROUNDS` rounds, or `MAX_READS` reads of a round, all find more
 */
export async function erasePerson(deps: ErasePersonDeps, actor: Actor, of: Person): Promise<PersonErasure> {
  const { calls, erased } = await allCallsOfPerson(deps, of);
  const person = pseudonymOf(deps.personKey, of.org_id, of.phone);
  const erasedByOthers = new Set(erased);
  const ended = new Map<string, Tombstone>();
  const seen: Seen = { leads: new Map(), forgotten: new Set(), claimsOfOthers: new Map() };
  for (let [round, rounds] = [calls, 0]; ; rounds += 1) {
    const live = round.filter(isLive).flatMap(({ call }) => call?.call_id ?? []);
    if (live.length > 0) return { kind: 'live', call_ids: live };
    if (rounds === 0) await noteBegin(deps, actor, of.org_id, person, calls.length);
    const begun = await beginAll(deps, actor, round);
    if (begun.kind === 'live') return begun;
    const foundMore = await forgetLeads(deps, of, round, seen);
    if (rounds > 0 && round.length === 0 && !foundMore) break;
    if (rounds === MAX_ROUNDS) throw new Error(KEEP_ARRIVING);
    // In parallel, because both wait for workers.
    const [, tombstones] = await Promise.all([hashListedNumber(deps, of), endAll(deps, begun.tombstones)]);
    for (const tombstone of tombstones) ended.set(tombstone.call_id, tombstone);
    const found = await callsOfPerson(deps, of);
    for (const callId of found.erased) erasedByOthers.add(callId);
    round = found.calls;
  }
  await freeNumberClaims(deps, of);
  // Again, because an analysis of one of the calls may have put the number on the list meanwhile.
  const do_not_call = await hashListedNumber(deps, of);
  const listed = await deps.erasures.ofPerson(of.org_id, person, erasedByOthers);
  // The index may lack calls of this run for some seconds.
  const endedLater = new Map(ended);
  for (const { call_id } of listed) endedLater.delete(call_id);
  const tombstones = [...listed, ...endedLater.values()];
  const answers = new Map(tombstones.map(({ call_id }): [string, PlatformAnswers] => [call_id, new Map()]));
  const platforms = new Map<string, PlatformErasure>();
  const atPlatform = async (tombstone: Tombstone) => {
    const { call_id } = tombstone;
    platforms.set(call_id, await erasePlatform(deps, tombstone, answers.get(call_id) ?? new Map()));
  };
  await inBatches(tombstones, AT_ONCE, async (tombstone) => {
    const { call_id, erased_of: org_id } = tombstone;
    // A late report or a restore may have stored data again.
    if (!ended.has(call_id)) await removeStored(deps, { call_id, org_id });
    await atPlatform(tombstone);
  });
  const records = await eraseRecords(deps, of.org_id, tombstones);
  // Again, because the platform may have revealed another id in the minutes since the first of many calls.
  await inBatches(tombstones, AT_ONCE, atPlatform);
  const all = [...records.values()].flat();
  const left = all.filter(({ outcome }) => outcome === 'left');
  const records_left = [...new Set(left.map(({ system, record, reason }) => `${system} ${record}: ${reason}`))];
  const results = tombstones.map((tombstone) => ({
    tombstone,
    records: records.get(tombstone.call_id) ?? [],
    platform: platforms.get(tombstone.call_id) ?? { kind: 'none' as const },
  }));
  const platform_left = [...platforms].flatMap(([call_id, { kind }]) => (kind === 'left' ? [call_id] : []));
  const receipt = personReceipt(deps, actor, of.org_id, {
    person,
    erased: results,
    activity: seen.forgotten.size,
    claimsOfOthers: [...seen.claimsOfOthers.values()].reduce((sum, one) => sum + one, 0),
    do_not_call,
  });
  return { kind: 'erased', receipt, platform_left, records_left };
}

/** Hides calls. @returns their tombstones, unless one has begun to ring */
async function beginAll(deps: ErasePersonDeps, actor: Actor, calls: readonly Erasable[]) {
  const tombstones: Tombstone[] = [];
  for (const { call } of calls) {
    if (!call) continue;
    const begin = await beginErasure(deps, actor, call.call_id);
    if (begin.kind === 'live') return { kind: 'live' as const, call_ids: [call.call_id] };
    if (begin.kind === 'begun') tombstones.push(begin.tombstone);
  }
  return { kind: 'begun' as const, tombstones };
}

/** Removes the data of hidden calls in batches. */
async function endAll(deps: ErasePersonDeps, begun: readonly Tombstone[]): Promise<Tombstone[]> {
  return inBatches(begun, AT_ONCE, (tombstone) => endErasure(deps, tombstone.call_id, tombstone));
}

const isLive = ({ call, tombstone }: Erasable): boolean =>
  !!call && !tombstone && !isTerminal(call.status) && call.status !== 'scheduled' && !isWaiting(call);

async function noteBegin(deps: ErasePersonDeps, actor: Actor, org_id: string, person: string, calls: number) {
  const thing = { id: person, name: 'person' };
  const change = { org_id, actor, action: 'person.erased' as const, thing, after: { calls } };
  await deps.transact({ audit: audited(deps, change) });
}

/**
 * Reduces the Activity of the person, and frees the claims on the leads. It removes the stored events, then frees the
 * claims, and removes the leads from the entries last, so that a repeat after a crash still finds all leads.
 * @returns whether it found an entry that no earlier round has reduced
 * @throws if `MAX_READS` reads all find more
 */
async function forgetLeads(
  deps: ErasePersonDeps,
  of: Person,
  calls: readonly Erasable[],
  { leads, forgotten, claimsOfOthers }: Seen,
): Promise<boolean> {
  const before = forgotten.size;
  const stored = await findStoredEvents(deps, of);
  for (const lead of leadsOf(calls, [])) leads.set(leadKeyOf(lead), lead);
  // Forgetting removes number and lead from an entry, so each read finds other entries until none is left.
  for (let reads = 0; ; reads += 1) {
    if (reads === MAX_READS) throw new Error(KEEP_ARRIVING);
    const known = [...leads.values()].map((lead) => ({ call: { lead } }));
    const entries = (await activityOfPerson(deps, of, known, stored)).filter((entry) => !isErasedEntry(entry));
    if (entries.length === 0 && reads > 0) break;
    for (const entry of entries)
      if (isRetryable(entry.outcome)) await deps.activity.removeStoredEvent(entry, phoneHash(of.org_id, of.phone));
    for (const lead of leadsOf(known, entries)) {
      leads.set(leadKeyOf(lead), lead);
      claimsOfOthers.set(leadKeyOf(lead), await freeLeadClaims(deps, of, lead));
    }
    for (const entry of entries) {
      await deps.activity.forget(entry);
      forgotten.add(keyOf(entry));
    }
  }
  return forgotten.size > before;
}

const leadKeyOf = ({ connection_id, lead_id }: Lead): string => `${connection_id}#${lead_id}`;

/**
 * Replaces the number on the do-not-call list by its keyed hash, so that it stays refused. For a while the list has
 * both, so that no reader of single items misses the number.
 */
async function hashListedNumber(deps: ErasePersonDeps, of: Person): Promise<ErasureReceipt['do_not_call']> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const [listed] = await deps.doNotCall.getMany(of.org_id, [of.phone]);
    if (!listed) return 'not_listed';
    if (listed.erased_at !== undefined) return 'kept_as_hash';
    // Another run may have hidden it, on a machine with another clock: this run waits by its own clock.
    const hidden = await deps.doNotCall.getErased(of.org_id, of.phone);
    const hiddenAt = hidden?.erased_at ?? deps.now().toISOString();
    if (!hidden?.erased_at && !(await deps.transact(await deps.doNotCall.listingAsHash(listed, hiddenAt))).committed)
      continue;
    await deps.sleep(BOTH_FORMS_MS);
    if ((await deps.transact(await deps.doNotCall.removingClear(listed, hiddenAt))).committed) return 'kept_as_hash';
  }
  throw new Error(`the do-not-call list changed in each of ${MAX_TRIES} tries`);
}

/**
 * Removes the claims on a number whose calls are erased or no longer exist, such as claims that a restore of the table
 * has brought back. A keyed hash replaces today's claim. Claims of stored calls stay.
 */
async function freeNumberClaims(deps: FreeLeadClaimsDeps, of: Person): Promise<void> {
  const { org_id, phone } = of;
  const today = istDay(deps.now());
  for (const claim of await claimsOfPerson(deps, of, [], [])) {
    const { call, tombstone } = (await deps.erasures.getToShow(claim.call_id)) ?? {};
    if (call && !tombstone) continue;
    if (claim.claim !== phoneClaimKey(org_id, phone, today)) {
      await deps.transact({ claim: deps.claims.freeing(claim.claim, claim.owner_id) });
      continue;
    }
    const hidden = phoneClaimKey(org_id, await deps.doNotCall.hashOf(org_id, phone), today);
    const taken = { ownerId: claim.owner_id, callId: claim.call_id, now: deps.now() };
    await deps.transact(deps.claims.replacingByHash(claim.claim, hiddenClaimFor(hidden, today, taken)));
  }
}
