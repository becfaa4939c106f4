import { DescribeContinuousBackupsCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type TableName, tables as tableRows } from '../../../../lib/tables.ts';
import { sleep } from '../../../../shared/runtime/clock.ts';
import { restoredOf, staleness } from '../../cloud/stale-checkout.ts';
import { causeOf } from '../../failures.ts';
import { type Check, type Finding, failed, findingsOr, ok } from './check.ts';
import type { CheckContext } from './check-context.ts';

/**
 * DynamoDB allows ten DescribeContinuousBackups per second (API reference), fewer than there are tables. A second try
 * succeeds for most of the others.
 */
const BACKUPS_TRIES = 4;
const BACKUPS_WAIT_MS = 1_000;

/** Checks that the tables of a retained stage can be restored, and cannot be deleted by accident. */
export const tables: Check = {
  name: 'tables',
  rights: 'dynamodb:DescribeTable and dynamodb:DescribeContinuousBackups',
  async examine(context) {
    const { isRetained } = await context.settings();
    if (!isRetained) return [ok('Not needed: the stage is disposable.')];
    const { Outputs = [] } = await context.requireStack('data');
    const client = context.cloud.readOnlyClient(DynamoDBClient);
    const names = Object.keys(tableRows) as TableName[];
    const findings = await Promise.all(names.map((name) => assess(context, client, context.cloud.named.table(name))));
    const deployed = Outputs.find(({ OutputKey }) => OutputKey === 'RestoredTables')?.OutputValue;
    return findingsOr(
      [...stale(context, deployed), ...findings.flat()],
      `All ${names.length} tables have point-in-time recovery and deletion protection.`,
    );
  },
};

/** Reports a checkout that names other tables than the stage uses. */
function stale({ cloud }: CheckContext, deployed: string | undefined): Finding[] {
  const { stage } = cloud.place;
  const difference = staleness(stage, restoredOf(cloud.stageFile()), deployed);
  const fix = `Get the file of the last deployment (git pull), or run npx cdk deploy --all --import-existing-resources -c stage=${stage}`;
  return difference ? [failed(difference, fix)] : [];
}

async function assess(context: CheckContext, client: DynamoDBClient, TableName: string): Promise<Finding[]> {
  const [described, backups] = await Promise.all([
    client.send(new DescribeTableCommand({ TableName })),
    backupsOf(client, TableName),
  ]);
  const { PointInTimeRecoveryDescription } = backups.ContinuousBackupsDescription ?? {};
  return [
    ...(PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED'
      ? []
      : [
          failed(
            `Table ${TableName} has no point-in-time recovery.`,
            context.aws(
              `dynamodb update-continuous-backups --table-name ${TableName} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true`,
            ),
          ),
        ]),
    ...(described.Table?.DeletionProtectionEnabled
      ? []
      : [
          failed(
            `Table ${TableName} has no deletion protection.`,
            context.aws(`dynamodb update-table --table-name ${TableName} --deletion-protection-enabled`),
          ),
        ]),
  ];
}

async function backupsOf(client: DynamoDBClient, TableName: string) {
  for (let tries = 1; ; tries += 1)
    try {
      return await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    } catch (error) {
      const isThrottled = error instanceof Error && causeOf(error) === 'throttled';
      if (!isThrottled || tries === BACKUPS_TRIES) throw error;
      await sleep(BACKUPS_WAIT_MS);
    }
}
