import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { restoreTable } from '../../../bin/admin/cloud/table-restores.ts';
import { type AwsAnswers, awsSimulator } from '../../support/admin/aws-simulator.ts';
import { closeServers } from '../../support/loopback.ts';

afterEach(closeServers);

const to = new Date('2026-11-23T09:30:00Z');

/** Restores a table whose target has these states, one for each look at it. */
async function restoreInto(states: string[], restoring: AwsAnswers[string]) {
  const looks = [...states];
  const { url, asked } = await awsSimulator({
    RestoreTableToPointInTime: restoring,
    DescribeTable: ({ input: { TableName } }): object => ({
      Table: {
        TableArn: `arn:${TableName}`,
        TableStatus: TableName === 'target' ? (looks.length > 1 ? looks.shift() : looks[0]) : 'ACTIVE',
        DeletionProtectionEnabled: true,
      },
    }),
    UpdateContinuousBackups: {},
    ListTagsOfResource: { Tags: [] },
    TagResource: {},
  });
  const db = new DynamoDBClient({
    ...{ endpoint: url, region: 'ap-south-1', maxAttempts: 1 },
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
  const tables = { source: 'source', target: 'target', inUse: 'source' };
  const lacking = await restoreTable(db, { ...tables, to, row: { partitionKey: 'id' } });
  return { lacking, asked };
}

// DynamoDB refuses the name of a table that is being created otherwise than that of one that exists (API reference,
// "RestoreTableToPointInTime").
it.each([
  ['is still being created', ['CREATING', 'CREATING', 'ACTIVE'], 'TableInUseException'],
  ['is created', ['ACTIVE'], 'TableAlreadyExistsException'],
])('a restore that was interrupted continues if its table %s', async (_, states, error) => {
  const { lacking, asked } = await restoreInto(states, { error, message: error, status: 400 });
  expect(lacking).toEqual([]);
  expect(asked).toContain('UpdateContinuousBackups');
});

it('a restore into a table that is being deleted fails', async () => {
  const refused = { error: 'TableInUseException', message: 'being deleted', status: 400 };
  await expect(restoreInto(['DELETING'], refused)).rejects.toThrow('being deleted');
});
