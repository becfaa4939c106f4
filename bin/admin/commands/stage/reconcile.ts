import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Call, isWaiting, type UnfinishedWork } from '../../../../shared/domain/calls/call.ts';
import { isErased } from '../../../../shared/domain/calls/retention/erased-call.ts';
import { newToken } from '../../../../shared/domain/ids.ts';
import { type Cancelation, cancelCall } from '../../../../shared/operations/calls/cancel-call.ts';
import { entryOfLostCall, type LeadCall } from '../../../../shared/operations/calls/steps/lost-call.ts';
import { callStore } from '../../../../shared/stores/calls/calls.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { noteOperatorAction } from '../../cloud/stage-log.ts';
import { copyMissing } from '../../cloud/table-copies.ts';
import { sourceOf } from '../../cloud/table-restores.ts';
import { Refusal } from '../../failures.ts';
import { facts } from '../../output.ts';
import type { Answer } from '../../verb.ts';
import { requirePaused } from './restore.ts';

export type Reconciling = { dryRun?: boolean };

/** The kinds of work of calls whose phones have not rung. */
const workBeforeRinging = ['scheduled', 'waiting', 'reserved'] as const satisfies UnfinishedWork[];

const hasNotRung = (call: Call): boolean => call.status === 'scheduled' || isWaiting(call);

/**
 * Brings restored tables up to date with what happened after the restore's point in time: cancels calls that would ring
 * again, and copies claims, do-not-call numbers and ended calls from the former tables. Leads whose calls are lost and
 * have not rung get an Activity entry, by which `connection retry` finds them. Calls erased since are erased again. A
 * repeat finds no call to cancel. Fails if it could not cancel a call (docs/runbooks/restore.md, "Who was called").
 */
export async function reconcile(cloud: Cloud, { dryRun = false }: Reconciling): Promise<Answer> {
  const { stage } = cloud.place;
  const [calls, claims, numbers] = await Promise.all(
    (['calls', 'claims', 'do-not-call'] as const).map((name) => sourceOf(cloud.dynamodb, cloud.named.table(name))),
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
  const again = calls ? await callsThatRangSince(cloud, db, calls) : [];
  const waiting = calls ? await callsThatWait(db, calls) : new Map<string, Call>();
  const lost = await lostLeads(cloud, waiting);
  const report: Record<string, unknown> = {
    stage,
    dry_run: dryRun,
    would_ring_again: again.length,
    leads_to_retry: countsOf(lost.map(({ lead }) => lead.connection_id)),
  };
  const notCanceled: string[] = [];
  if (!dryRun) {
    const deps = { ...cloud, newToken, count: () => undefined };
    const operator = await cloud.operator();
    notCanceled.push(...(await cancelAll(again, (call_id) => cancelCall(deps, operator, { call_id }))));
    report.not_canceled = notCanceled;
    for (const call of lost) await cloud.activity.record(entryOfLostCall(call));
    // After the cancelations, which free the claims of their calls.
    if (claims) {
      const target = { to: cloud.named.table('claims'), key: 'claim', copyOf: claimUnlessWaiting(waiting) };
      report.claims_copied = await copyMissing(db, claims, target);
    }
    if (numbers)
      report.numbers_copied = await copyMissing(db, numbers, { to: cloud.named.table('do-not-call'), key: 'org_id' });
    if (calls) {
      const target = { to: cloud.named.table('calls'), key: 'call_id', copyOf: endedCall, replaces: isErased };
      report.calls_copied = await copyMissing(db, calls, target);
    }
  }
  const warning = 'These calls may ring again: keep dialing paused, and run the command again.';
  const people = notCanceled.length > 0 ? `${facts(report)}\n${warning}` : facts(report);
  return { json: report, people, isFailure: notCanceled.length > 0 };
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

/** Cancels calls. @returns the calls that could not be canceled because of another writer, and may still ring. */
export async function cancelAll(
  calls: readonly string[],
  cancel: (call_id: string) => Promise<Cancelation>,
): Promise<string[]> {
  const kept: string[] = [];
  for (const call_id of calls) {
    // A call that workers keep changing must not prevent the copies that follow.
    const canceled = await cancel(call_id).catch(() => 'already_dialed');
    if (canceled === 'already_dialed') kept.push(call_id);
  }
  return kept;
}

/** Reads the calls of a table that have not rung, by their ids. */
async function callsThatWait(db: DynamoDBDocumentClient, table: string): Promise<Map<string, Call>> {
  const calls = callStore(db, table);
  const found = new Map<string, Call>();
  for (const work of workBeforeRinging)
    for await (const { call_id } of calls.unfinished(work, {})) {
      const call = await calls.get(call_id);
      if (call && hasNotRung(call)) found.set(call_id, call);
    }
  return found;
}

/** The calls of leads that wait in the former table, and do not exist in the restored one. */
async function lostLeads({ calls }: Cloud, waiting: ReadonlyMap<string, Call>): Promise<LeadCall[]> {
  const found: LeadCall[] = [];
  for (const [callId, { lead, ...call }] of waiting)
    if (lead && (await calls.getOrErased(callId)) === undefined) found.push({ ...call, lead });
  return found;
}

/**
 * The calls that wait in the restored table but have rung, ended or been erased in the former one. A call that the
 * former table never had was placed after the restore.
 */
async function callsThatRangSince(cloud: Cloud, db: DynamoDBDocumentClient, from: string): Promise<string[]> {
  const former = callStore(db, from);
  const found: string[] = [];
  for (const work of workBeforeRinging)
    for await (const { call_id } of cloud.calls.unfinished(work, {})) {
      const known = await former.getOrErased(call_id);
      if (known === 'erased' || (known && !hasNotRung(known))) found.push(call_id);
    }
  return found;
}
