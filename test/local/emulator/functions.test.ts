import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import { processesOf } from '../../support/stack/function-processes.ts';
import { schedulingPolicyOf } from '../support/scheduling-policy.ts';
import { allow, arn, CREDENTIALS, lambda, mapping, queue, table } from '../support/stack.ts';
import { TestCloud } from '../support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

async function invoke(name: string, { lambda: client } = cloud) {
  const result = await client.send(new InvokeCommand({ FunctionName: name, LogType: 'Tail' }));
  return {
    failed: result.FunctionError !== undefined,
    payload: JSON.parse(Buffer.from(result.Payload ?? []).toString()),
    log: Buffer.from(result.LogResult ?? '', 'base64').toString(),
  };
}

test('a warm function that logs nothing answers within milliseconds', async () => {
  await cloud.deploy('silent', lambda('silent', 'return calls;'));
  await invoke('silent');
  let quickest = Number.POSITIVE_INFINITY;
  // Use the minimum of many runs, because the machine may be busy; stock MiniStack always takes at least 50 ms.
  for (let index = 0; index < 20 || (quickest >= 45 && index < 300); index++) {
    const start = performance.now();
    await invoke('silent');
    quickest = Math.min(quickest, performance.now() - start);
  }
  expect(quickest).toBeLessThan(45);
});

test('the log of an invocation includes its last line, however late it is written', async () => {
  const code =
    "for (let i = 0; i < 50; i++) console.log('line', i); await sleep(20); console.error('last of ' + calls);";
  await cloud.deploy('talkative', lambda('talkative', code));
  for (const call of [1, 2, 3]) {
    const { log } = await invoke('talkative');
    expect(log).toContain('line 49');
    expect(log).toContain(`last of ${call}`);
    expect(log).not.toContain('emulator-end-of-log');
  }
});

test('a function that throws stays warm, and its error has a name, a message and a stack', async () => {
  const code = "class LeadMissing extends Error { name = 'LeadMissing' } throw new LeadMissing('number ' + calls);";
  await cloud.deploy('throwing', lambda('throwing', code));
  await invoke('throwing');
  const { failed, payload, log } = await invoke('throwing');
  expect(failed).toBe(true);
  expect(payload).toEqual({
    errorType: 'LeadMissing',
    errorMessage: 'number 2',
    trace: expect.arrayContaining([expect.stringContaining('index.js')]),
  });
  expect(log).toContain('number 2');
});

/** Deploys a function behind an API. @returns a function that requests it */
async function deployBehindApi(name: string, code: string): Promise<() => Promise<Response>> {
  const { Api } = await cloud.deploy(`api-${name}`, {
    ...lambda(name, code),
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: `api-${name}`, ProtocolType: 'HTTP' } },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: { Ref: 'Api' },
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: { 'Fn::GetAtt': [name, 'Arn'] },
        PayloadFormatVersion: '2.0',
      },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        ApiId: { Ref: 'Api' },
        RouteKey: 'GET /it',
        Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Integration' }]] },
      },
    },
    Stage: {
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: { ApiId: { Ref: 'Api' }, StageName: '$default', AutoDeploy: true },
    },
  });
  return () => fetch(`${cloud.emulator.url}/_aws/execute-api/${Api}/$default/it`);
}

test('an HTTP API hides the error of a function', async () => {
  const request = await deployBehindApi('failing', "throw new Error('secret');");
  const response = await request();
  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ message: 'Internal Server Error' });
});

test('a bucket that denies requests without TLS can be used', async () => {
  const { Bucket } = await cloud.deploy('tls', {
    ...lambda('writing', CREDENTIALS, { statements: allow('s3:*') }),
    Bucket: { Type: 'AWS::S3::Bucket' },
    Policy: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: {
        Bucket: { Ref: 'Bucket' },
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Deny',
              Principal: '*',
              Action: 's3:*',
              Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Bucket', 'Arn'] }, '/*']] },
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            },
          ],
        },
      },
    },
  });
  const asFunction = new S3Client({ ...(await cloud.configOf('writing')), forcePathStyle: true });
  const { $metadata } = await asFunction.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'b' }));
  expect($metadata.httpStatusCode).toBe(200);
});

test('a function that sends to its own queue is ended after 16 rounds, unless its loop is allowed', async () => {
  const sdk = JSON.stringify(createRequire(import.meta.url).resolve('@aws-sdk/client-sqs'));
  const code = `const { SQSClient, SendMessageCommand } = require(${sdk});
    const round = Number(event.Records[0].body);
    record(round);
    if (round < 18) await new SQSClient().send(
      new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: String(round + 1) }));`;
  const looping = (name: string, properties: object) => ({
    ...lambda(name, code, {
      statements: allow('sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'),
      properties: { ...properties, Environment: { Variables: { QUEUE_URL: { Ref: `${name}Queue` } } } },
    }),
    [`${name}Dead`]: queue(),
    [`${name}Queue`]: queue({ RedrivePolicy: { deadLetterTargetArn: arn(`${name}Dead`), maxReceiveCount: 5 } }),
    [`${name}Mapping`]: mapping(arn(`${name}Queue`), name, { BatchSize: 1 }),
  });
  const refs = await cloud.deploy('loops', {
    ...looping('endless', {}),
    ...looping('allowed', { RecursiveLoop: 'Allow' }),
  });
  await Promise.all([cloud.send(refs.endlessQueue ?? '', '1'), cloud.send(refs.allowedQueue ?? '', '1')]);
  const rounds = (most: number) => Array.from({ length: most }, (_, index) => index + 1);
  await cloud.untilRecorded('allowed', rounds(18));
  expect(await cloud.receive(refs.endlessDead ?? '')).toEqual(['17']);
  expect(await cloud.records('endless')).toEqual(rounds(16));
});

describe('a role that may send single messages', () => {
  let QueueUrl: string;
  let config: Awaited<ReturnType<TestCloud['configOf']>>;
  beforeAll(async () => {
    const resources = lambda('sending', CREDENTIALS, { statements: allow('sqs:SendMessage') });
    const refs = await cloud.deploy('sending', { Sent: queue(), ...resources });
    QueueUrl = refs.Sent ?? '';
    config = await cloud.configOf('sending');
  });

  test('may send a batch of messages, and has no other right', async () => {
    const sqs = new SQSClient(config);
    const Entries = [{ Id: '1', MessageBody: 'one' }];
    const { Successful } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(Successful).toHaveLength(1);
    await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl }))).rejects.toThrow(/not authorized/);
  });

  test('may send a message whether or not its clock is moved, but not with a signature of another key', async () => {
    await cloud.moveClock(3 * 3600);
    try {
      const send = (client: SQSClient) => client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'later' }));
      await send(new SQSClient(config));
      await send(new SQSClient({ ...config, systemClockOffset: 3 * 3600 * 1000 }));
      const forged = { ...config.credentials, secretAccessKey: 'forged' };
      await expect(send(new SQSClient({ ...config, credentials: forged }))).rejects.toThrow(/signature/i);
    } finally {
      await cloud.moveClock(0);
    }
  });
});

const workersOf = (functionName: string) => processesOf(functionName, cloud.emulator.pid);

test("a function has the emulator's variables, overridden by its own, and the clock file", async () => {
  const properties = { Environment: { Variables: { LANG: 'own', AWS_ENDPOINT_URL_S3: 'http://own' } } };
  await cloud.deploy('environment', lambda('environment', 'return process.env;', { properties }));
  const { payload: environment } = await invoke('environment');
  expect(environment).toMatchObject({
    LANG: 'own',
    AWS_ENDPOINT_URL_S3: 'http://own',
    AWS_ENDPOINT_URL: cloud.emulator.url,
    AWS_LAMBDA_FUNCTION_NAME: 'environment',
    CLOCK_FILE: cloud.emulator.clockFile,
    TZ: 'UTC',
  });
  // Jest's own variable represents the machine's variables, which a function must not see.
  expect(environment.JEST_WORKER_ID).toBeUndefined();
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('only the workers of functions behind an API compete with everything else for the processor', async () => {
  const request = await deployBehindApi('awaited', 'return { statusCode: 204 };');
  await cloud.deploy('patient', lambda('patient', 'return null;'));
  await Promise.all([request(), invoke('patient')]);
  const pids = (await Promise.all(['awaited', 'patient'].map((name) => workersOf(name)))).flat();
  expect(pids.map((pid) => getPriority(pid))).toEqual([0, 10]);
  const [SCHED_OTHER, SCHED_BATCH] = [0, 3];
  expect(await Promise.all(pids.map(schedulingPolicyOf))).toEqual([SCHED_OTHER, SCHED_BATCH]);
});

onLinux('a batch whose process is killed is delivered again after the visibility timeout', async () => {
  const code = `const count = event.Records[0].attributes.ApproximateReceiveCount;
    record(count);
    if (count === '1') await released('never');`;
  const { Queue = '' } = await cloud.deploy('killed', {
    Queue: queue({ VisibilityTimeout: 600 }),
    ...lambda('killed', code, { statements: allow('sqs:*') }),
    Mapping: mapping(arn('Queue'), 'killed'),
  });
  await cloud.send(Queue, 'work');
  await cloud.untilRecorded('killed', ['1']);
  const [pid = 0, ...others] = await workersOf('killed');
  expect(others).toEqual([]);
  process.kill(pid, 'SIGKILL');
  await untilNoError(async () => expect(await workersOf('killed')).not.toContain(pid));
  expect(await cloud.records('killed')).toEqual(['1']);
  await cloud.moveClock(601);
  await cloud.untilRecorded('killed', ['1', '2']);
  expect(await workersOf('killed')).not.toContain(pid);
  await cloud.moveClock(0);
});

onLinux(
  'all workers of a function load one copy of its package, in the folder that LAMBDA_TASK_ROOT names',
  async () => {
    const code = 'return [__dirname, process.cwd(), process.env.LAMBDA_TASK_ROOT, process.pid];';
    await cloud.deploy('packaged', lambda('packaged', code));
    const { payload: first } = await invoke('packaged');
    process.kill(first[3], 'SIGKILL');
    // A dying worker may still get the invocation, which then fails.
    const second = await untilNoError(async () => {
      const { failed, payload } = await invoke('packaged');
      expect([failed, payload[3] === first[3]]).toEqual([false, false]);
      return payload;
    });
    const [folder] = first;
    expect([...first.slice(0, 3), ...second.slice(0, 3)]).toEqual(Array(6).fill(folder));
    expect(await readdir(folder)).toEqual(['index.js']);
    expect(await readdir(join(folder, '..', 'compiled'))).toHaveLength(1);
  },
);

test('a standard queue accepts and delivers message groups, as a fair queue needs', async () => {
  const { Queue = '' } = await cloud.deploy('groups', { Queue: queue({}) });
  const message = { QueueUrl: Queue, MessageBody: 'lead', MessageGroupId: 'conn_1' };
  await cloud.sqs.send(new SendMessageCommand(message));
  const { Messages = [] } = await cloud.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: Queue, MessageSystemAttributeNames: ['MessageGroupId'], WaitTimeSeconds: 5 }),
  );
  expect(Messages).toMatchObject([{ Body: 'lead', Attributes: { MessageGroupId: 'conn_1' } }]);
});

/** Reads the units that were counted for a function since the first reading. */
async function metered(name: string): Promise<Record<string, number>> {
  const answer = await fetch(`${cloud.emulator.url}/_ministack/meter`);
  return ((await answer.json()) as Record<string, Record<string, number>>)[name] ?? {};
}

test('units are counted as AWS charges for them: by size, with indexes, twice in a transaction', async () => {
  const index = { IndexName: 'by-kind', KeySchema: [{ AttributeName: 'kind', KeyType: 'HASH' }] };
  const refs = await cloud.deploy('metered', {
    Table: table({
      AttributeDefinitions: ['id', 'kind'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexes: [{ ...index, Projection: { ProjectionType: 'KEYS_ONLY' } }],
    }),
    Queue: queue(),
    ...lambda('metered', CREDENTIALS, { statements: allow('dynamodb:*', 'sqs:*') }),
  });
  const { Table: TableName = '', Queue: QueueUrl = '' } = refs;
  const config = await cloud.configOf('metered');
  const db = new DynamoDBClient(config);
  const item = (id: string, bytes: number) => ({
    id: { S: id },
    kind: { S: 'call' },
    text: { S: 'x'.repeat(bytes) },
  });
  expect(await metered('metered')).toEqual({});

  await db.send(new PutItemCommand({ TableName, Item: item('a', 5_000) }));
  expect(await metered('metered')).toEqual({ dynamodb_requests: 1, write_units: 5 + 1 });
  await db.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item: item('b', 1_500) } }] }));
  expect(await metered('metered')).toEqual({ dynamodb_requests: 2, write_units: 6 + 2 * 2 + 1 });
  const refused = { TableName, Item: item('a', 10), ConditionExpression: 'attribute_not_exists(id)' };
  await expect(db.send(new PutItemCommand(refused))).rejects.toThrow('conditional');
  expect(await metered('metered')).toEqual({ dynamodb_requests: 3, write_units: 12 });

  const Key = { id: { S: 'a' } };
  await db.send(new GetItemCommand({ TableName, Key, ConsistentRead: true, ProjectionExpression: 'id' }));
  expect(await metered('metered')).toMatchObject({ dynamodb_requests: 4, read_units: 2 });
  const ExpressionAttributeValues = { ':id': Key.id };
  await db.send(new QueryCommand({ TableName, KeyConditionExpression: 'id = :id', ExpressionAttributeValues }));
  expect(await metered('metered')).toMatchObject({ dynamodb_requests: 5, read_units: 2 + 1 });
  // Each item of a batch counts for itself, and an absent one as the smallest.
  const Keys = ['a', 'b', 'absent'].map((id) => ({ id: { S: id } }));
  await db.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }));
  expect(await metered('metered')).toMatchObject({ dynamodb_requests: 6, read_units: 3 + 2 + 1 + 1 });
  await db.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }));
  expect(await metered('metered')).toMatchObject({ dynamodb_requests: 7, read_units: 7 + 2 });

  const queues = new SQSClient(config);
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x'.repeat(100_000), MessageGroupId: 'a' }));
  expect(await metered('metered')).toMatchObject({ sqs_requests: 2, sqs_fair_requests: 2 });

  // The test's own requests are not counted.
  const before = await metered('metered');
  await cloud.dynamodb.send(new PutItemCommand({ TableName, Item: item('c', 10) }));
  expect(await metered('metered')).toEqual(before);
  await invoke('metered');
  expect(await metered('metered')).toMatchObject({ invocations: 1, warm: 1, warm_ms: expect.any(Number) });
  // The highest value of all workers, not their sum.
  const { most_memory_kb: memory = 0 } = await metered('metered');
  expect(memory).toBeGreaterThan(process.platform === 'linux' ? 20_000 : -1);
  await invoke('metered');
  expect((await metered('metered')).most_memory_kb).toBeLessThan(1.5 * memory + 1);
});

test('the rights of a function are reported with the number of requests that each has allowed', async () => {
  const on = (name: string, ...actions: string[]) => ({ Effect: 'Allow', Action: actions, Resource: arn(name) });
  const statements = [on('Used', 'sqs:SendMessage', 'sqs:ReceiveMessage'), on('Unused', 'sqs:SendMessage')];
  const refs = await cloud.deploy('rights', {
    Used: queue({ QueueName: 'used' }),
    Unused: queue({ QueueName: 'unused' }),
    ...lambda('limited', CREDENTIALS, { statements }),
  });
  const sqs = new SQSClient(await cloud.configOf('limited'));
  const Entries = [{ Id: '1', MessageBody: 'one' }];
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: refs.Used, Entries }));
  await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl: refs.Unused }))).rejects.toThrow(/not authorized/);
  const answer = await fetch(`${cloud.emulator.url}/_ministack/rights`);
  const right = (action: string, name: string, uses: number) => ({
    action: `sqs:${action}`,
    resource: expect.stringMatching(new RegExp(`^arn:aws:sqs:.*:${name}$`)),
    uses,
  });
  expect(await answer.json()).toMatchObject({
    limited: [right('SendMessage', 'used', 1), right('ReceiveMessage', 'used', 0), right('SendMessage', 'unused', 0)],
  });
});
