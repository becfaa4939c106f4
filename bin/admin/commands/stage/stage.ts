import type { Cloud } from '../../cloud/cloud.ts';
import { deleteLeftovers, deleteStack, leftoversOf, stacksToRepair } from '../../cloud/failed-stacks.ts';
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
      summary: 'Removes the remains of failed first deployments and deletions, so that the stage can be deployed again',
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
      summary:
        'Copies records of later calls into restored tables that are in use, and cancels calls that would ring again',
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
 * Removes the stacks that can only be deleted, with the empty tables and user pools that they left behind. Other stacks
 * are not changed. A repeat continues an interrupted run, because a stack is deleted after its leftovers. Fails while
 * CloudFormation is changing a stack, because that change may fail, too.
 */
async function repair(cloud: Cloud): Promise<Answer> {
  const { stage: name } = cloud.place;
  const { failed, inProgress } = await stacksToRepair(cloud);
  const plan = await Promise.all(failed.map(async (found) => ({ found, leftovers: await leftoversOf(found, cloud) })));
  for (const { found, leftovers } of plan) {
    await deleteLeftovers(leftovers, cloud);
    await deleteStack(found, cloud);
  }
  const stacks = failed.map(({ StackName }) => StackName);
  const removed = plan.flatMap(({ leftovers }) => leftovers.tables);
  const userPools = plan.flatMap(({ leftovers }) => leftovers.userPools);
  const isUnderWay = inProgress.length > 0;
  const states = inProgress.map(({ StackName, StackStatus }) => `${StackName} is ${StackStatus}`);
  const next = isUnderWay
    ? `${states.join(', ')}: wait until CloudFormation has finished, then run the command again.`
    : `Deploy again: npx cdk deploy --all -c stage=${name}`;
  const done =
    stacks.length === 0
      ? `No first deployment or deletion of a stack of stage ${name} has failed; nothing was changed.`
      : `Removed: ${[...stacks, ...removed, ...userPools].join(', ')}.`;
  return {
    json: {
      ...{ stage: name, stacks, tables: removed, user_pools: userPools },
      in_progress: inProgress.map(({ StackName }) => StackName),
    },
    people: stacks.length === 0 && !isUnderWay ? done : `${done}\n${next}`,
    isFailure: isUnderWay,
  };
}
