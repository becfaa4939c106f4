import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../../../lib/tables.ts';
import { type Call, isWaiting, type LeadCall, type UnfinishedWork } from '../../../../shared/domain/calls/call.ts';
import { currentEntries } from '../../../../shared/domain/calls/call-activity.ts';
import { isErased } from '../../../../shared/domain/calls/retention/erased-item.ts';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { type Cancelation, cancelCall } from '../../../../shared/operations/calls/cancel-call.ts';
import { entryOfLostCall } from '../../../../shared/operations/calls/steps/lost-call.ts';
import { supersedeEntries } from '../../../../shared/operations/calls/steps/supersede-entries.ts';
import { type CallStore, callStore } from '../../../../shared/stores/calls/calls.ts';
import { type ActivityStore, activityStore } from '../../../../shared/stores/connections/activity.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { noteOperatorAction } from '../../cloud/stage-log.ts';
import { copyMissing } from '../../cloud/table-copies.ts';
import { tableHistory, usedBefore } from '../../cloud/table-history.ts';
import { exists, originOf } from '../../cloud/table-restores.ts';
import { Refusal } from '../../failures.ts';
import { facts } from '../../output.ts';
import type { Answer } from '../../verb.ts';
import { requirePaused } from './restore.ts';

export type Reconciling = { dryRun?: boolean };

/**
 * How long a table still counts as used after it has left the stack. Workers write to it until the deployment ends, and
 * the restored table lacks its records until `stage reconcile`.
 */
const GRACE_MS = 24 * 3_600_000;

/** The kinds of work of calls whose phones have not rung. */
const workBeforeRinging = ['scheduled', 'waiting', 'reserved'] as const satisfies UnfinishedWork[];

const hasNotRung = (call: Call): boolean => call.status === 'scheduled' || isWaiting(call);

/**
 * Brings restored tables up to date with what happened after the restore's point in time: cancels calls that would ring
 * again, and copies claims, do-not-call numbers and ended calls from the tables that the stage has used since. Leads
 * whose calls are lost and have not rung get an Activity entry, by which `connection retry` finds them. Calls erased
 * since are erased again. A repeat finds no call to cancel. Fails if it could not cancel a call
 * (docs/runbooks/restore.md, "Records of later calls").
 */
export async function reconcile(cloud: Cloud, { dryRun = false }: Reconciling): Promise<Answer> {
  const { stage } = cloud.place;
  const [calls, claims, numbers] = await Promise.all(
    (['calls', 'claims', 'do-not-call'] as const).map((name) => formerTables(cloud, name)),
  );
  if (!calls && !claims && !numbers)
    throw new Refusal(
      'not_restored',
      'None of the tables calls, claims and do-not-call was restored: there is nothing to reconcile.',
    );
  if (!dryRun) {
    await requirePaused(cloud);
    await noteOperatorAction(cloud, 'stage.reconciled', stage);
  }
  const db = DynamoDBDocumentClient.from(cloud.dynamodb);
  const former = (calls ?? []).map((table) => callStore(db, table));
  const again = await callsThatRangSince(cloud, former);
  const waiting = await callsThatWait(former);
  const retried = ((await formerTables(cloud, 'activity')) ?? []).map((table) => activityStore(db, table));
  const lost = await lostLeads(cloud, waiting, retried);
  const report: Record<string, unknown> = {
    stage,
    dry_run: dryRun,
    would_ring_again: again.length,
    leads_to_retry: countsOf(lost.map(({ lead }) => lead.connection_id)),
  };
  const notCanceled: string[] = [];
  if (!dryRun) {
    const deps = { ...cloud, count: () => undefined, warn: () => undefined };
    const operator = await cloud.operator();
    notCanceled.push(...(await cancelAll(again, (call_id) => cancelCall(deps, operator, { call_id }))));
    report.not_canceled = notCanceled;
    for (const call of lost) {
      const entry = entryOfLostCall(call);
      await cloud.activity.record(entry);
      await supersedeEntries(deps, entry, currentEntries(call));
    }
    // After the cancelations, which free the claims of their calls.
    if (claims) {
      // The later of two claims on one lead counts, so the latest table is copied first.
      const target = { to: cloud.named.table('claims'), key: 'claim', copyOf: claimUnlessWaiting(waiting) };
      report.claims_copied = await copyAll(db, claims.toReversed(), target);
    }
    if (numbers)
      report.numbers_copied = await copyAll(db, numbers, { to: cloud.named.table('do-not-call'), key: 'org_id' });
    if (calls) {
      // A call that rang before a restore was canceled in the restored table. Its real end is in the earlier table,
      // which is copied first.
      const target = { to: cloud.named.table('calls'), key: 'call_id', copyOf: endedCall, replaces: isErased };
      report.calls_copied = await copyAll(db, calls, target);
    }
  }
  const warning = 'These calls may ring again: keep dialing paused, and run the command again.';
  const people = notCanceled.length > 0 ? `${facts(report)}\n${warning}` : facts(report);
  return { json: report, people, isFailure: notCanceled.length > 0 };
}

/**
 * Lists the tables that the stage has used since the point in time of a restored table, the earliest first.
 * @returns undefined if the table in use is not a restored one @throws Refusal former_missing
 */
async function formerTables(cloud: Cloud, name: TableName): Promise<string[] | undefined> {
  const inUse = cloud.named.table(name);
  const origin = await originOf(cloud.dynamodb, inUse);
  if (!origin) return undefined;
  const { source, to } = origin;
  const used = to ? usedBefore(await tableHistory(cloud, new Date(to.getTime() - GRACE_MS)), inUse) : [];
  const found: string[] = used.some(({ table }) => table === source) ? [] : [source];
  for (const { table, leftAt } of used) {
    if (await exists(cloud.dynamodb, table)) found.push(table);
    else if (to && leftAt > to)
      throw new Refusal('former_missing', `Table ${table}, which was in use until ${leftAt.toISOString()}, is gone.`);
  }
  return found;
}

/**
 * @returns the copy of an ended call, undefined for any other. The copy needs no more work: finishing it would return
 * credit that the restored organization does not hold for it.
 */
export function endedCall({ unfinished, ...copy }: Record<string, unknown>): Record<string, unknown> | undefined {
  return unfinished === undefined || unfinished === ('ended' satisfies UnfinishedWork) ? copy : undefined;
}

/**
 * Skips the claims of calls that have not rung. No worker reads the former table, so these calls never ring, and their
 * claims would only prevent another call of the lead. All other claims count: the phone may have rung.
 */
export const claimUnlessWaiting =
  (waiting: { has(callId: string): boolean }) =>
  (claim: Record<string, unknown>): Record<string, unknown> | undefined =>
    waiting.has(String(claim.call_id)) ? undefined : claim;

const countsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((one) => one === name).length]));

/** Cancels calls. @returns the calls that were dialed or kept changing, and may still ring. @throws other failures */
export async function cancelAll(
  calls: readonly string[],
  cancel: (call_id: string) => Promise<Cancelation>,
): Promise<string[]> {
  const kept: string[] = [];
  for (const call_id of calls) {
    const result = await cancel(call_id).catch((error: unknown) => {
      // A call that workers keep changing must not prevent the copies that follow.
      if (error instanceof TransactionContention) return 'changed';
      throw error;
    });
    if (result === 'already_dialed' || result === 'changed') kept.push(call_id);
  }
  return kept;
}

/** Copies missing items from several tables. Items of an earlier table stay. @returns the number of copied items */
async function copyAll(
  db: DynamoDBDocumentClient,
  from: readonly string[],
  target: Parameters<typeof copyMissing>[2],
): Promise<number> {
  let copied = 0;
  for (const table of from) copied += await copyMissing(db, table, target);
  return copied;
}

type Calls = Pick<CallStore, 'get' | 'getOrErased' | 'unfinished'>;

/** Reads the calls that wait in a former table and have rung in no former table, by their ids. */
async function callsThatWait(former: readonly Calls[]): Promise<Map<string, Call>> {
  const found = new Map<string, Call>();
  for (const calls of former)
    for (const work of workBeforeRinging)
      for await (const { call_id } of calls.unfinished(work, {})) {
        const call = await calls.get(call_id);
        if (call && hasNotRung(call) && !(await hasRungIn(former, call_id))) found.set(call_id, call);
      }
  return found;
}

/** Returns whether a call has rung, ended or been erased in one of the tables. */
async function hasRungIn(former: readonly Calls[], callId: string): Promise<boolean> {
  for (const calls of former) {
    const known = await calls.getOrErased(callId);
    if (known === 'erased' || (known && !hasNotRung(known))) return true;
  }
  return false;
}

/**
 * Finds the calls of leads that wait in a former table and do not exist in the restored one. A lead that was retried
 * after an earlier restore is not lost again.
 */
async function lostLeads(
  { calls }: Cloud,
  waiting: ReadonlyMap<string, Call>,
  former: readonly Pick<ActivityStore, 'triesOf'>[],
): Promise<LeadCall[]> {
  const found: LeadCall[] = [];
  for (const [callId, { lead, ...call }] of waiting)
    if (lead && (await calls.getOrErased(callId)) === undefined && !(await wasRetried({ ...call, lead }, former)))
      found.push({ ...call, lead });
  return found;
}

async function wasRetried(call: LeadCall, former: readonly Pick<ActivityStore, 'triesOf'>[]): Promise<boolean> {
  const { connection_id, event_id } = entryOfLostCall(call);
  for (const activity of former) {
    const tries = await activity.triesOf(connection_id, event_id);
    if (tries.some((one) => one.event_id !== event_id)) return true;
  }
  return false;
}

/**
 * Finds the calls that wait in the restored table but have rung, ended or been erased in a former one. A call that no
 * former table has was placed after the restore.
 */
async function callsThatRangSince({ calls }: Cloud, former: readonly Calls[]): Promise<string[]> {
  const found: string[] = [];
  for (const work of workBeforeRinging)
    for await (const { call_id } of calls.unfinished(work, {}))
      if (await hasRungIn(former, call_id)) found.push(call_id);
  return found;
}
