import { readdir, readFile } from 'node:fs/promises';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { eventually } from './support/eventually.ts';
import { arn, lambda, mapping, queue } from './support/stack.ts';
import { TestCloud } from './support/test-cloud.ts';

// The fault tests rely on these features; see the head of local/cloud.ts.
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

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
  const { Payload } = await cloud.lambda.send(new InvokeCommand({ FunctionName: 'environment' }));
  const environment = JSON.parse(Buffer.from(Payload ?? []).toString());
  expect(environment).toMatchObject({
    LANG: 'own',
    AWS_ENDPOINT_URL_S3: 'http://own',
    AWS_ENDPOINT_URL: cloud.emulator.url,
    AWS_LAMBDA_FUNCTION_NAME: 'environment',
    CLOCK_FILE: cloud.emulator.clockFile,
    TZ: 'UTC',
  });
  // Jest's own variable stands for the machine's variables, which a function must not see.
  expect(environment.JEST_WORKER_ID).toBeUndefined();
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a batch whose process is killed comes again after the visibility timeout', async () => {
  const code =
    "const count = event.Records[0].attributes.ApproximateReceiveCount; record(count); if (count === '1') await released('never');";
  const { Queue = '' } = await cloud.deploy('killed', {
    Queue: queue({ VisibilityTimeout: 600 }),
    ...lambda('killed', code, {
      statements: [{ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }],
    }),
    Mapping: mapping(arn('Queue'), 'killed'),
  });
  await cloud.send(Queue, 'work');
  await eventually(async () => expect(await cloud.records('killed')).toEqual(['1']));
  const [pid = 0, ...others] = await workersOf('killed');
  expect(others).toEqual([]);
  process.kill(pid, 'SIGKILL');
  await eventually(async () => expect(await workersOf('killed')).not.toContain(pid));
  expect(await cloud.records('killed')).toEqual(['1']);
  await cloud.moveClock(601);
  await eventually(async () => expect(await cloud.records('killed')).toEqual(['1', '2']));
  expect(await workersOf('killed')).not.toContain(pid);
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
