import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import {
  BatchGetItemCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { installEmulator } from '../../local/python-packages.ts';
import { eventually } from './support/eventually.ts';
import { allow, arn, CREDENTIALS, lambda, mapping, queue, type Resource, role, table } from './support/stack.ts';
import { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

/** Runs a script with the emulator's packages. @returns the last line that it prints */
async function python(script: string): Promise<string | undefined> {
  const program = await installEmulator({ log: () => {} });
  const path = "import sys; sys.path.insert(0, 'local')\n";
  const { stdout } = await promisify(execFile)(program, ['-B', '-c', path + script]);
  return stdout.trim().split('\n').at(-1);
}

async function invoke(name: string) {
  const result = await cloud.lambda.send(new InvokeCommand({ FunctionName: name, LogType: 'Tail' }));
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

test('the head and the body of an answer are sent at once, in two packets if necessary', async () => {
  // The delay by Nagle's algorithm depends on the kernel, so the test checks the socket option, not the time.
  const printed = await python(`
import asyncio, socket
from emulator import __main__ as launcher
launcher.apply_corrections()
async def main():
    accepted = asyncio.get_running_loop().create_future()
    connect = lambda reader, writer: accepted.set_result(writer.get_extra_info('socket'))
    listening = socket.socket()  # made as the server makes it
    listening.bind(('127.0.0.1', 0))
    server = await asyncio.start_server(connect, sock=listening)
    await asyncio.open_connection(*listening.getsockname())
    print((await accepted).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
asyncio.run(main())`);
  expect(Number(printed)).toBeGreaterThan(0);
});

test('a batch is taken from the head of a queue, whatever waits behind it', async () => {
  const printed = await python(`
import json, time
from emulator import deep_queues
from ministack.services import sqs
deep_queues.receive_from_the_head()
now = time.time()
def queue(name, messages=(), **attributes):
    arn = f'arn:aws:sqs:us-east-1:000000000000:{name}'
    made = {'attributes': {'QueueArn': arn, **attributes}, 'messages': list(messages), 'is_fifo': False}
    sqs._queues[sqs._queue_url(name)] = made
    return made
def message(id, **fields):
    return {'id': id, 'body': id, 'sent_at': now, 'visible_at': now, 'receive_count': 0, **fields}
dead = queue('dead')
redrive = json.dumps({'deadLetterTargetArn': dead['attributes']['QueueArn'], 'maxReceiveCount': 5})
# None replaces messages that must not be examined.
deep = queue('deep', [
    message('hidden', visible_at=now + 60), message('old', sent_at=now - 601), message('tried', receive_count=5),
    message('a'), message('b'), message('c'), None,
], RedrivePolicy=redrive, MessageRetentionPeriod='600', VisibilityTimeout='30')
url = sqs._queue_url('deep')
taken = [sqs._receive_messages_for_esm(url, 2), sqs._receive_messages_for_esm(url, 1)]
sqs._delete_messages_for_esm(url, {message['receipt_handle'] for message in taken[0]})
ids = lambda messages: [message and message['id'] for message in messages]
print(json.dumps([*map(ids, taken), ids(deep['messages']), ids(dead['messages']), taken[0][0]['receive_count']]))`);
  expect(JSON.parse(printed ?? '')).toEqual([['a', 'b'], ['c'], ['hidden', 'c', null], ['tried'], 1]);
});

test('the requests of workers wait for open requests to an API, but not forever', async () => {
  const printed = await python(`
import asyncio
from emulator import api_first
async def main():
    done = []
    open_requests = api_first._OpenRequests()
    async def work(name):
        await open_requests.pass_by()
        done.append(name)
    api_first.MOST_SECONDS_BEHIND_APIS = 3600
    with open_requests:
        works = [asyncio.create_task(work(name)) for name in ('first', 'second')]
        await asyncio.sleep(0.05)
        done.append('API')
    await asyncio.gather(*works)
    api_first.MOST_SECONDS_BEHIND_APIS = 0.01
    with open_requests:
        await work('beside')
        open_requests.pass_by_in_thread()
    open_requests.pass_by_in_thread()
    print(' '.join(done))
asyncio.run(main())`);
  expect(printed).toBe('API first second beside');
});

test('the log of an invocation has the lines that arrive long after the answer', async () => {
  const printed = await python(`
import json, threading, time
from emulator import lambda_runtime as corrections
from ministack.core import lambda_runtime
corrections.mark_the_end_of_each_log()
worker = lambda_runtime.Worker('f', {'Runtime': 'nodejs24.x'}, b'')
def write():
    for line in ('first', 'last', corrections.END_OF_LOG, 'of the next'):
        time.sleep(0.1)
        worker._stderr_queue.put(line)
worker._proc = threading.Thread(target=write)
worker._proc.start()
log = worker._drain_stderr_bounded()
worker._proc.join()
worker._proc = None
print(json.dumps([log, worker._drain_stderr_bounded()]))`);
  expect(JSON.parse(printed ?? '')).toEqual(['first\nlast', 'of the next']);
});

test('a moved clock ends no worker that has just become idle', async () => {
  const printed = await python(`
import time
from emulator import worker_starts
from ministack.core import lambda_runtime
worker_starts.end_idle_workers_by_the_machines_clock()
config = {'FunctionArn': 'arn:aws:lambda:us-east-1:000000000000:function:f'}
for worker in [lambda_runtime.acquire_worker('f', config, b'')[0] for _ in range(2)]:
    lambda_runtime.release_worker(worker)
machine_time = time.time
time.time = lambda: machine_time() + 86_400
ended = lambda_runtime.reap_idle_workers()
print(ended, lambda_runtime.reap_idle_workers(ttl=0))`);
  expect(printed).toBe('0 1');
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

  test('may do so with any moved clock, but not with a signature of another key', async () => {
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

// The fault tests rely on the next features; see the head of local/cloud.ts.

/** Lists the processes that run a function at this moment. */
async function workersOf(functionName: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [status, environ] = await Promise.all(
        ['status', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      const isChild = status?.includes(`\nPPid:\t${cloud.emulator.pid}\n`);
      return isChild && environ?.split('\0').includes(`AWS_LAMBDA_FUNCTION_NAME=${functionName}`);
    }),
  );
  return pids.filter((_pid, index) => found[index]).map(Number);
}

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
  const priorities = ['awaited', 'patient'].map(async (name) => (await workersOf(name)).map((pid) => getPriority(pid)));
  expect(await Promise.all(priorities)).toEqual([[0], [10]]);
});

onLinux('a batch whose process is killed comes again after the visibility timeout', async () => {
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
  await eventually(async () => expect(await workersOf('killed')).not.toContain(pid));
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
    const second = await eventually(async () => {
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

test("an emulator that unpacks a package later than another one in the same folder uses the other's copy", async () => {
  const script = `
import io, json, os, shutil, tempfile, zipfile
shared = os.environ["EMULATOR_PACKAGES"] = tempfile.mkdtemp()
from emulator import worker_starts
package = io.BytesIO()
with zipfile.ZipFile(package, "w") as files:
    files.writestr("index.js", "mine")
move = os.rename
def move_late(source, target):
    shutil.copytree(source, target)
    (target / "index.js").write_text("of the other")
    move(source, target)
os.rename = move_late
folder = worker_starts._unpacked(package.getvalue())
assert worker_starts._unpacked(package.getvalue()) == folder
used = open(folder + "/index.js").read()
print(json.dumps([used, os.listdir(shared) == [os.path.basename(folder)]]))
shutil.rmtree(shared)`;
  expect(JSON.parse((await python(script)) ?? '')).toEqual(['of the other', true]);
});

test('a standard queue accepts and delivers message groups, as a fair queue needs', async () => {
  const { Queue = '' } = await cloud.deploy('groups', { Queue: queue({}) });
  const message = { QueueUrl: Queue, MessageBody: 'lead', MessageGroupId: 'conn_1' };
  await cloud.sqs.send(new SendMessageCommand(message));
  const { Messages = [] } = await cloud.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: Queue, MessageSystemAttributeNames: ['MessageGroupId'], WaitTimeSeconds: 5 }),
  );
  expect(Messages).toMatchObject([{ Body: 'lead', Attributes: { MessageGroupId: 'conn_1' } }]);
});

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

test('a global table has the same name and items after an index is added', async () => {
  const before = await cloud.deploy('indexed', { Table: globalTable(['id']) });
  const id = { S: '1' };
  await cloud.dynamodb.send(new PutItemCommand({ TableName: before.Table, Item: { id, org: { S: 'acme' } } }));
  const after = await cloud.deploy('indexed', { Table: globalTable(['id', 'org']) });
  expect(after.Table).toBe(before.Table);
  const { Item } = await cloud.dynamodb.send(new GetItemCommand({ TableName: after.Table, Key: { id } }));
  expect(Item?.org).toEqual({ S: 'acme' });
});

test('a deployment changes one index of a table at a time, and replaces none under its name', async () => {
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

test('an alarm on metric math is stored, unless its expression names none of its metrics', async () => {
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

test('a new resource cannot have the name of another one, even if that one is removed', async () => {
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
  // The former is removed.
  await cloud.deploy('other-budget', { Budget: budget('costs', 'three@example.com') });
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

/** The units that were counted for a function since the emulator's start or the first reading. */
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
