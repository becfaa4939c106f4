import { DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTimeToLiveCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CostBudget } from '../../../lib/constructs/cost-budget.ts';
import { names } from '../../../lib/names.ts';
import { unchecked } from '../../infra/support/synthesize.ts';
import { allow, arn, deployTemplate, lambda, mapping, queue, type Resource, role, table } from '../support/stack.ts';
import { TestCloud } from '../support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

function globalTable(attributes: readonly string[], properties: object = {}): Resource {
  const key = (name: string) => [{ AttributeName: name, KeyType: 'HASH' }];
  const indexes = attributes
    .filter((name) => name !== 'id')
    .map((name) => ({ IndexName: name, KeySchema: key(name), Projection: { ProjectionType: 'ALL' } }));
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

function stackWith(properties: object) {
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

test('a global table has the same name and items after an index is added', async () => {
  const before = await cloud.deploy('indexed', { Table: globalTable(['id']) });
  const id = { S: '1' };
  await cloud.dynamodb.send(new PutItemCommand({ TableName: before.Table, Item: { id, org: { S: 'acme' } } }));
  const after = await cloud.deploy('indexed', { Table: globalTable(['id', 'org']) });
  expect(after.Table).toBe(before.Table);
  const { Item } = await cloud.dynamodb.send(new GetItemCommand({ TableName: after.Table, Key: { id } }));
  expect(Item?.org).toEqual({ S: 'acme' });
});

test('a deployment changes one index of a table at a time, and replaces no index under the same name', async () => {
  const tables = (...attributes: string[]) => ({
    Plain: { ...globalTable(attributes, { Replicas: undefined }), Type: 'AWS::DynamoDB::Table' },
    Global: globalTable(attributes),
  });
  const before = await cloud.deploy('stepwise', tables('id', 'org'));
  for (const Type of ['Plain', 'Global'] as const) {
    const deploy = (...attributes: string[]) =>
      cloud.deploy('stepwise', { ...tables('id', 'org'), [Type]: tables(...attributes)[Type] });
    await expect(deploy('id', 'org', 'by', 'at')).rejects.toThrow('more than one GSI creation or deletion');
    await expect(deploy('id', 'by')).rejects.toThrow('more than one GSI creation or deletion');
    const replaced = JSON.parse(JSON.stringify(tables('id', 'org')).replaceAll('"ALL"', '"KEYS_ONLY"'));
    await expect(cloud.deploy('stepwise', { ...tables('id', 'org'), [Type]: replaced[Type] })).rejects.toThrow(
      "Cannot update GSI's properties",
    );
  }
  expect(await cloud.deploy('stepwise', tables('id', 'org', 'by'))).toEqual(before);
  expect(await cloud.deploy('stepwise', tables('id', 'org'))).toEqual(before);
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

test('an alarm on metric math is stored, unless its expression names an unknown metric', async () => {
  const alarm = (Expression: string) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: 'share',
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 1,
      Threshold: 95,
      Metrics: [
        { Id: 'share', Expression },
        {
          Id: 'good',
          MetricStat: { Metric: { Namespace: 'Test', MetricName: 'Seconds' }, Period: 300, Stat: 'PR(:300)' },
          ReturnData: false,
        },
      ],
    },
  });
  await expect(cloud.deploy('unknown-id', { Alarm: alarm('100 * good / all') })).rejects.toThrow(
    'no entry has the id all',
  );
  const { Alarm } = await cloud.deploy('metric-math', { Alarm: alarm('IF(good >= 10, good, 100)') });
  expect(Alarm).toBe('share');
});

test('a schedule has all properties of its template, from its creation and after an update', async () => {
  const first = {
    ScheduleExpression: 'cron(0 9 * * ? *)',
    ScheduleExpressionTimezone: 'Asia/Kolkata',
    StartDate: '2040-01-01T00:00:00Z',
    EndDate: '2041-01-01T00:00:00Z',
    ActionAfterCompletion: 'DELETE',
  };
  for (const expected of [first, { ...first, ScheduleExpressionTimezone: 'Asia/Dubai' }]) {
    const { Schedule } = await cloud.deploy('scheduled', stackWith(expected));
    const found = await cloud.scheduler.send(new GetScheduleCommand({ Name: Schedule }));
    const dates = { StartDate: new Date(expected.StartDate), EndDate: new Date(expected.EndDate) };
    expect(found).toMatchObject({ ...expected, ...dates });
  }
});

test('a stack with a schedule that the service refuses fails', async () => {
  const refused = stackWith({ ScheduleExpression: 'every now and then' });
  await expect(cloud.deploy('refused', refused)).rejects.toThrow('Invalid Schedule Expression');
});

test('an exported value that another stack imports can be neither changed nor removed, nor its stack deleted', async () => {
  const producer = { First: queue({ QueueName: 'first' }), Second: queue({ QueueName: 'second' }) };
  const exported = (logicalId: string) => cloud.deploy('producer', producer, { shared: arn(logicalId), other: '1' });
  const consumer = { Third: queue({ Tags: [{ Key: 'of', Value: { 'Fn::ImportValue': 'shared' } }] }) };
  await exported('First');
  await cloud.deploy('consumer', consumer);
  await expect(exported('Second')).rejects.toThrow('Export shared cannot be updated as it is in use by consumer');
  await expect(cloud.deploy('producer', producer)).rejects.toThrow(
    'Export shared cannot be deleted as it is in use by consumer',
  );
  await expect(cloud.cloudFormation.send(new DeleteStackCommand({ StackName: 'producer' }))).rejects.toThrow(
    'Export shared is imported by stack consumer',
  );
  // A value that no stack imports can be removed for good.
  await cloud.deploy('producer', producer, { shared: arn('First') });
  await expect(
    cloud.deploy('late', { Queue: queue({ Tags: [{ Key: 'of', Value: { 'Fn::ImportValue': 'other' } }] }) }),
  ).rejects.toThrow("Export 'other' not found");
  await cloud.deploy('consumer', { Third: queue() });
  await exported('Second');
});

test('a new resource cannot have the name of another one, even if the same update removes the other', async () => {
  const alarm = {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      ...{ AlarmName: 'taken', MetricName: 'm', Namespace: 'n', Statistic: 'Sum', Period: 60 },
      ...{ EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
    },
  };
  const named = role('lambda.amazonaws.com');
  const ofRole = { ...named, Properties: { ...named.Properties, RoleName: 'taken' } };
  const { taken: ofFunction, ...rest } = lambda('taken', 'return 1;');
  const others = [
    { Type: 'AWS::KMS::Alias', Properties: { AliasName: 'alias/taken', TargetKeyId: { Ref: 'Key' } } },
    queue({ QueueName: 'taken' }),
    table({ TableName: 'taken' }),
    { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'taken' } },
    { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: 'taken' } },
  ];
  const needed = { ...rest, Key: { Type: 'AWS::KMS::Key', Properties: {} } };
  for (const resource of [alarm, ofRole, ofFunction as Resource, ...others]) {
    const stack = `taken-${resource.Type.split('::')[1]?.toLowerCase()}`;
    await cloud.deploy(stack, { ...needed, Former: resource });
    await expect(cloud.deploy(stack, { ...needed, Later: resource })).rejects.toThrow('taken already exists');
    await expect(cloud.deploy(`${stack}-other`, { ...needed, Same: resource })).rejects.toThrow('taken already exists');
  }
});

test('the name of a deleted queue is refused for a minute, by its API and in a stack', async () => {
  const QueueName = 'gone';
  const create = () => cloud.sqs.send(new CreateQueueCommand({ QueueName }));
  const named = { Named: queue({ QueueName }) };
  const [unnamed, other] = [{ Unnamed: queue() }, { Other: queue() }];
  const expectRefused = async (stack: string) => {
    await expect(create()).rejects.toMatchObject({ name: 'QueueDeletedRecently' });
    await expect(cloud.deploy(stack, named)).rejects.toThrow('You must wait 60 seconds after deleting a queue');
  };
  try {
    const { QueueUrl } = await create();
    await cloud.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    await expectRefused('after-api');
    await cloud.moveClock(61);
    await cloud.deploy('former', { ...other, ...unnamed, ...named });
    await cloud.deploy('former', other);
    await expectRefused('after-stack');
    // CloudFormation gives a queue without a name a new one.
    await cloud.deploy('former', { ...other, ...unnamed });
    await cloud.moveClock(122);
    await cloud.deploy('former', { ...other, ...named });
    // An update that renames the queue deletes the former one.
    await cloud.deploy('former', { ...other, Named: queue({ QueueName: 'renamed' }) });
    await expect(cloud.deploy('former', { ...other, ...named })).rejects.toThrow('You must wait 60 seconds');
  } finally {
    await cloud.moveClock(0);
  }
});

test('an existing KMS key cannot become a multi-Region key', async () => {
  const key = (properties: object) => ({ Key: { Type: 'AWS::KMS::Key', Properties: properties } });
  await cloud.deploy('regional-key', key({}));
  await expect(cloud.deploy('regional-key', key({ MultiRegion: true }))).rejects.toThrow(
    'MultiRegion cannot be changed',
  );
});

test('a budget whose notices change is replaced, and needs another name', async () => {
  const budget = (BudgetName: string, Address: string, Amount = 40) => ({
    Type: 'AWS::Budgets::Budget',
    Properties: {
      Budget: { BudgetName, BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount, Unit: 'USD' } },
      NotificationsWithSubscribers: [
        {
          Notification: { NotificationType: 'ACTUAL', ComparisonOperator: 'GREATER_THAN', Threshold: 80 },
          Subscribers: [{ SubscriptionType: 'EMAIL', Address }],
        },
      ],
    },
  });
  await cloud.deploy('budget', { Budget: budget('costs', 'one@example.com') });
  await cloud.deploy('budget', { Budget: budget('costs', 'one@example.com', 50) });
  await expect(cloud.deploy('budget', { Budget: budget('costs', 'two@example.com') })).rejects.toThrow(
    'costs - the budget already exists',
  );
  await cloud.deploy('budget', { Budget: budget('new', 'two@example.com') });
  // The former budget is removed.
  await cloud.deploy('other-budget', { Budget: budget('costs', 'three@example.com') });
});

test('the budget of a stage follows a changed amount and a changed address', async () => {
  const deploy = (monthly: number, email: string) => {
    // The emulator has no bootstrap stack.
    const synthesizer = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
    const stack = new Stack(new App(unchecked), 'costs', { synthesizer });
    new CostBudget(stack, 'costs', { named: names('prod'), monthly, email });
    return deployTemplate(cloud.cloudFormation, 'costs', Template.fromStack(stack).toJSON());
  };
  await deploy(40, 'alarms@example.com');
  await deploy(50, 'alarms@example.com');
  await deploy(50, 'operators@example.com');
});

test('an API has one route per key, even while an update replaces it', async () => {
  const api = { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'keyed', ProtocolType: 'HTTP' } };
  const route = (RouteKey: string) => ({
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: { ApiId: { Ref: 'Api' }, RouteKey },
  });
  await cloud.deploy('keyed', { Api: api, Former: route('GET /calls') });
  await expect(cloud.deploy('keyed', { Api: api, Later: route('GET /calls') })).rejects.toThrow(
    'Route with key GET /calls already exists',
  );
  await cloud.deploy('keyed', { Api: api, Former: route('GET /calls'), Other: route('POST /calls') });
});

test('a queue has one mapping to a function, even while an update replaces it', async () => {
  const stack = (mappings: Record<string, Resource>) => ({
    One: queue(),
    Two: queue(),
    ...lambda('mapped', 'return 1;', { statements: allow('sqs:*') }),
    ...mappings,
  });
  const mappingOf = (logicalId: string, properties: object = {}) => mapping(arn(logicalId), 'mapped', properties);
  await cloud.deploy('mapped', stack({ Former: mappingOf('One') }));
  await expect(cloud.deploy('mapped', stack({ Later: mappingOf('One') }))).rejects.toThrow(
    /event source mapping with .* already exists/,
  );
  await cloud.deploy('mapped', stack({ Former: mappingOf('One', { BatchSize: 1 }), Other: mappingOf('Two') }));
});
