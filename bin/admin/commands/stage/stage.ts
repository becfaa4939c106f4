import type { Cloud } from '../../cloud/cloud.ts';
import { deleteStack, deleteTable, failedStacks, tablesLeftBy } from '../../cloud/failed-stacks.ts';
import { type Answer, type Noun, optional, required, verb } from '../../verb.ts';
import { type Reconciling, reconcile } from './reconcile.ts';
import { type Respelling, respell } from './respell.ts';
import { type Restoring, restore } from './restore.ts';

const dryRun = optional('--dry-run', 'print the plan, and change nothing');

export const stage: Noun = {
  name: 'stage',
  summary: 'The deployment of a stage',
  verbs: [
    verb({
      usage: 'repair',
      summary: 'Removes the remains of failed first deployments, so that the stage can be deployed again',
      act: repair,
    }),
    verb<Restoring>({
      usage: 'restore',
      summary: 'Restores tables to a point in time, beside those in use; dialing must be paused',
      options: [
        required('--to <instant>', 'the point in time'),
        required('--tables <names>', 'comma-separated names of tables, or all'),
        dryRun,
      ],
      act: restore,
    }),
    verb<Reconciling>({
      usage: 'reconcile',
      summary: 'Adds the calls placed since to restored tables, once they are in use',
      options: [dryRun],
      act: reconcile,
    }),
    verb<Respelling>({
      usage: 'respell',
      summary: 'Rewrites numbers that older versions stored with a trunk zero behind the country code; can be repeated',
      options: [dryRun],
      act: respell,
    }),
  ],
};

/**
 * Removes the stacks that have never worked, with the empty tables that they left behind. Other stacks are not changed.
 */
async function repair(cloud: Cloud): Promise<Answer> {
  const { stage: name } = cloud.place;
  const failed = await failedStacks(cloud);
  const plan = await Promise.all(failed.map(async (found) => ({ found, left: await tablesLeftBy(found, cloud) })));
  for (const { found, left } of plan) {
    for (const table of left) await deleteTable(table, cloud);
    await deleteStack(found, cloud);
  }
  const stacks = failed.map(({ StackName }) => StackName);
  const removed = plan.flatMap(({ left }) => left);
  const again = `Deploy again: npx cdk deploy --all -c stage=${name}`;
  return {
    json: { stage: name, stacks, tables: removed },
    people:
      stacks.length === 0
        ? `No first deployment of a stack of stage ${name} has failed; nothing was changed.`
        : `Removed: ${[...stacks, ...removed].join(', ')}.\n${again}`,
  };
}
