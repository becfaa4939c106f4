import { DescribeTimeToLiveCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { arn, queue, type Resource, role, table } from './support/stack.ts';
import { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

function globalTable(attributes: readonly string[], properties: object = {}): Resource {
  const key = (name: string) => [{ AttributeName: name, KeyType: 'HASH' }];
  const indexed = attributes.filter((name) => name !== 'id');
  const indexes = indexed.map((name) => ({
    IndexName: name,
    KeySchema: key(name),
    Projection: { ProjectionType: 'ALL' },
  }));
  return {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: key('id'),
      Replicas: [{ Region: 'us-east-1' }],
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
      ...properties,
    },
  };
}

test('a global table has the same name and items after an index is added', async () => {
  const before = await cloud.deploy('indexed', { Table: globalTable(['id']) });
  const id = { S: '1' };
  await cloud.dynamodb.send(new PutItemCommand({ TableName: before.Table, Item: { id, org: { S: 'acme' } } }));
  const after = await cloud.deploy('indexed', { Table: globalTable(['id', 'org']) });
  expect(after.Table).toBe(before.Table);
  const { Item } = await cloud.dynamodb.send(new GetItemCommand({ TableName: after.Table, Key: { id } }));
  expect(Item?.org).toEqual({ S: 'acme' });
});

test('a table has the time to live of its template, from its creation or after an update', async () => {
  const lifetime = { TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true } };
  await cloud.deploy('lifetime', { Plain: table(), Global: globalTable(['id'], lifetime) });
  const refs = await cloud.deploy('lifetime', { Plain: table(lifetime), Global: globalTable(['id'], lifetime) });
  for (const TableName of [refs.Plain, refs.Global]) {
    const { TimeToLiveDescription } = await cloud.dynamodb.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(TimeToLiveDescription).toEqual({ AttributeName: 'expires_at', TimeToLiveStatus: 'ENABLED' });
  }
});

function schedule(properties: object) {
  return {
    Queue: queue(),
    Role: role('scheduler.amazonaws.com'),
    Schedule: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { Arn: arn('Queue'), RoleArn: arn('Role') },
        ...properties,
      },
    },
  };
}

test('a schedule has all properties of its template, from its creation and after an update', async () => {
  const first = {
    ScheduleExpression: 'cron(0 9 * * ? *)',
    ScheduleExpressionTimezone: 'Asia/Kolkata',
    StartDate: '2040-01-01T00:00:00Z',
    EndDate: '2041-01-01T00:00:00Z',
    ActionAfterCompletion: 'DELETE',
  };
  for (const expected of [first, { ...first, ScheduleExpressionTimezone: 'Asia/Dubai' }]) {
    const { Schedule } = await cloud.deploy('scheduled', schedule(expected));
    const found = await cloud.scheduler.send(new GetScheduleCommand({ Name: Schedule }));
    expect(found).toMatchObject({
      ...expected,
      StartDate: new Date(expected.StartDate),
      EndDate: new Date(expected.EndDate),
    });
  }
});

test('a stack with a schedule that the service refuses fails', async () => {
  const refused = schedule({ ScheduleExpression: 'every now and then' });
  await expect(cloud.deploy('refused', refused)).rejects.toThrow('Invalid Schedule Expression');
});
