import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Call, isWaiting, type UnfinishedWork } from '../../../../shared/domain/calls/call.ts';
import { isErased } from '../../../../shared/domain/calls/erased-call.ts';
import { newToken } from '../../../../shared/domain/ids.ts';
import { cancelCall } from '../../../../shared/operations/calls/cancel-call.ts';
import { callStore } from '../../../../shared/stores/calls/calls.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { noteDeed } from '../../cloud/stage-log.ts';
import { copyMissing } from '../../cloud/table-copies.ts';
import { sourceOf } from '../../cloud/table-restores.ts';
import { Refusal } from '../../failures.ts';
import { facts } from '../../output.ts';
import type { Answer } from '../../verb.ts';
import { requirePaused } from './restore.ts';

export type Reconciling = { dryRun?: boolean };

/** Work of calls whose phones have not rung. */
const ringLater = ['scheduled', 'waiting', 'reserved'] as const satisfies UnfinishedWork[];

const ringsLater = (call: Call): boolean => call.status === 'scheduled' || isWaiting(call);

/**
 * Keeps restored tables from forgetting who was called after the point in time: cancels calls that would ring again,
 * and copies claims, do-not-call numbers and ended calls that the former tables have. Calls that were erased since are
 * erased again. A repeat finds nothing to cancel.
 * docs/runbooks/restore.md, "Who was called".
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
    await noteDeed(cloud, 'stage.reconciled', stage);
  }
  const db = DynamoDBDocumentClient.from(cloud.dynamodb);
  const again = calls ? await callsThatRangSince(cloud, db, calls) : [];
  const report: Record<string, unknown> = { stage, dry_run: dryRun, would_ring_again: again.length };
  if (!dryRun) {
    const deps = { ...cloud, newToken, count: () => undefined };
    for (const call_id of again) await cancelCall(deps, await cloud.operator(), { call_id });
    // After the cancelations, which free the claims of their calls.
    if (claims) report.claims_copied = await copyMissing(db, claims, { to: cloud.named.table('claims'), key: 'claim' });
    if (numbers)
      report.numbers_copied = await copyMissing(db, numbers, { to: cloud.named.table('do-not-call'), key: 'org_id' });
    if (calls) {
      const isOver = ({ unfinished }: Record<string, unknown>) => unfinished === undefined;
      const target = { to: cloud.named.table('calls'), key: 'call_id', isCopied: isOver, replaces: isErased };
      report.calls_copied = await copyMissing(db, calls, target);
    }
  }
  return { json: report, people: facts(report) };
}

/** The calls that wait in the restored table, and in the former one have rung, ended or gone. */
async function callsThatRangSince(cloud: Cloud, db: DynamoDBDocumentClient, from: string): Promise<string[]> {
  const former = callStore(db, from);
  const found: string[] = [];
  for (const work of ringLater)
    for await (const { call_id } of cloud.calls.unfinished(work, {})) {
      const known = await former.get(call_id);
      if (!known || !ringsLater(known)) found.push(call_id);
    }
  return found;
}
