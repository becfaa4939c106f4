import { TableNotFoundException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { names } from '../../../../lib/names.ts';
import { stageFile } from '../../../../lib/stage-file.ts';
import { type TableName, tableRow, tables } from '../../../../lib/tables.ts';
import { slotStore } from '../../../../shared/stores/calls/slots/slots.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { noteOperatorAction } from '../../cloud/stage-log.ts';
import { hasJoined, type TableHistory, tableHistory, usedAtFirst } from '../../cloud/table-history.ts';
import { restorable, restoreTable, targetOf } from '../../cloud/table-restores.ts';
import { causeOf, Refusal } from '../../failures.ts';
import { instant, list, oneOf } from '../../values.ts';
import type { Answer } from '../../verb.ts';

export type Restoring = { to: string; tables: string; dryRun?: boolean };

const tableNames = Object.keys(tables) as TableName[];

/** Tables that record called people. A restored one must be reconciled before dialing resumes. */
const callRecordTables: readonly TableName[] = ['calls', 'claims', 'do-not-call'];

/**
 * Tables that the same transactions write. Restoring only one would be inconsistent: a call that ends twice would
 * release its credit twice.
 */
const atomicTables: readonly TableName[] = [
  ...(['calls', 'claims', 'organizations', 'credit-ledger', 'usage', 'slots', 'activity', 'callbacks'] as const),
];

/** Returns the ending of a restored table's name: the time in UTC, to the second, which is AWS's precision. */
const endingOf = (to: string): string => `r${to.replace(/\D/g, '').slice(0, 14)}`;

/** One table to restore: the table in use at the point in time, the new one, and the one in use now. */
type Planned = { name: TableName; source: string; target: string; inUse: string };

/**
 * Restores tables beside those in use, with all their settings, and prints how to put them into use. It deletes no
 * table, because the current tables record which calls were placed since. After an earlier restore, the source of a
 * table is the one that the stage used at the point in time.
 */
export async function restore(cloud: Cloud, flags: Restoring): Promise<Answer> {
  const to = instant('--to', flags.to);
  const wanted =
    flags.tables === 'all' ? tableNames : list(flags.tables).map((name) => oneOf('--tables', name, tableNames));
  requireTogether(wanted);
  requireRetained(cloud);
  const ending = endingOf(to);
  const { stage } = cloud.place;
  const history = await tableHistory(cloud, new Date(to));
  const plan = wanted.map((name): Planned => {
    const inUse = cloud.named.table(name);
    return { name, source: usedAtFirst(history, inUse), target: names(stage, { [name]: ending }).table(name), inUse };
  });
  for (const { source } of plan) await requireRestorable(cloud, source, to);
  await requireUnused(cloud, plan, history, { to, tables: flags.tables });
  const restored = Object.fromEntries(plan.map(({ name }) => [name, ending]));
  const answer = { stage, to, restored, tables: plan.map(({ source, target }) => ({ source, target })) };
  if (flags.dryRun)
    return {
      json: { ...answer, dry_run: true },
      people: `Nothing was changed. It would restore to ${to}:\n${plan.map(({ source, target }) => `${source} -> ${target}`).join('\n')}`,
    };
  await requirePaused(cloud);
  await noteOperatorAction(cloud, 'stage.restore_begun', stage, { to, tables: wanted.join(', ') });
  const lacking = await Promise.all(
    plan.map(async ({ name, ...of }) => {
      const { target } = of;
      const missing = await restoreTable(cloud.dynamodb, { ...of, to: new Date(to), row: tableRow(name) });
      return missing.map((one) => `${target} lacks ${one}`);
    }),
  );
  if (lacking.flat().length > 0) throw new Refusal('incomplete', `${lacking.flat().join('; ')}. Do not use it.`);
  if (wanted.includes('slots')) await pauseIn(cloud, names(stage, restored).table('slots'));
  return { json: answer, people: nextSteps(stage, restored) };
}

function nextSteps(stage: string, restored: object): string {
  const needsReconcile = callRecordTables.some((name) => name in restored);
  return [
    'The tables are restored. Now',
    `1. add this to "restored" in ${stageFile(stage)}: ${JSON.stringify(restored)}`,
    '   and set "canaryMinutes": 0, because a canary leaves most of the work on the former tables, or does not start',
    `2. npx cdk deploy --all --import-existing-resources -c stage=${stage}`,
    ...(needsReconcile
      ? ['3. stage reconcile, before dialing resume; otherwise people may be called twice']
      : ['3. dialing resume']),
    '4. give "canaryMinutes" its former value again, or remove it',
  ].join('\n');
}

/** @throws Refusal together */
function requireTogether(wanted: readonly TableName[]): void {
  const missing = atomicTables.filter((name) => !wanted.includes(name));
  if (missing.length > 0 && missing.length < atomicTables.length)
    throw new Refusal('together', `The same transactions write ${atomicTables.join(', ')}: restore them together.`);
}

/**
 * Refuses a table that is not retained, because it is deleted when another one replaces it. @throws Refusal
 * not_retained
 */
function requireRetained({ place: { stage }, isRetained }: Cloud): void {
  if (!isRetained())
    throw new Refusal('not_retained', `Stage ${stage} is disposable: its tables are deleted when they leave it.`);
}

/** @throws Refusal not_restorable */
async function requireRestorable({ dynamodb }: Cloud, table: string, to: string): Promise<void> {
  const span = await restorable(dynamodb, table).catch((error: unknown) => {
    if (!(error instanceof TableNotFoundException)) throw error;
    throw new Refusal('not_restorable', `Table ${table}, which was in use then, does not exist. Nothing was changed.`);
  });
  const at = Date.parse(to);
  if (!span) throw new Refusal('not_restorable', `Table ${table} has no point-in-time recovery. Nothing was changed.`);
  if (at < span.from.getTime() || at > span.to.getTime())
    throw new Refusal(
      'not_restorable',
      `Table ${table} can be restored to times from ${span.from.toISOString()} to ${span.to.toISOString()}. Nothing was changed.`,
    );
}

/**
 * Refuses targets that exist, unless an interrupted run has begun them and no deployment has put them into use: other
 * tables would not have the state of the point in time.
 * @throws Refusal in_use, another_restore
 */
async function requireUnused(
  { dynamodb, named }: Cloud,
  plan: readonly Planned[],
  history: TableHistory,
  { to, tables }: Restoring,
): Promise<void> {
  const aSecondBefore = `${new Date(Date.parse(to) - 1_000).toISOString().slice(0, 19)}Z`;
  const help = `Nothing was changed. Restore to another second: stage restore --to ${aSecondBefore} --tables ${tables}`;
  for (const { name, source, target } of plan) {
    if (target === named.table(name) || hasJoined(history, target))
      throw new Refusal('in_use', `Table ${target} was put into use, and has changed since. ${help}`);
    if ((await targetOf(dynamodb, { source, target, to: new Date(to) })) === 'another')
      throw new Refusal('another_restore', `Table ${target} exists, but is not ${source} at ${to}. ${help}`);
  }
}

/** Requires a pause of dialing. Without the Slots table, no call is dialed either. @throws Refusal not_paused */
export async function requirePaused({ slots }: Cloud): Promise<void> {
  const stage = await slots.stage().catch((error: unknown) => {
    if (error instanceof Error && causeOf(error) === 'not_found') return { paused: true };
    throw error;
  });
  if (!stage.paused) throw new Refusal('not_paused', 'Stop dialing first: dialing pause. Nothing was changed.');
}

/** Pauses dialing in a restored Slots table, which may be from a time when the stage was dialing. */
async function pauseIn({ dynamodb, transact, now }: Cloud, table: string): Promise<void> {
  const restored = slotStore(DynamoDBDocumentClient.from(dynamodb), table);
  if (!(await restored.stage()).paused) await transact({ pause: restored.pausing(now().toISOString()) });
}
