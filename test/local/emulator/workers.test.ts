import { InvokeCommand } from '@aws-sdk/client-lambda';
import { schedulingPolicyOf } from '../support/scheduling-policy.ts';
import { lambda } from '../support/stack.ts';
import { TestCloud } from '../support/test-cloud.ts';

const AT_ONCE = 2;

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start({ hasIdleWorkers: true, workersAtOnce: AT_ONCE });
});
afterAll(() => cloud?.stop());

/** Invokes a function. @returns the process that ran it */
async function processOf(FunctionName: string, event = {}): Promise<number> {
  const { Payload } = await cloud.lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }));
  return Number(Buffer.from(Payload ?? []).toString());
}

(process.platform === 'linux' ? test : test.skip)(
  'with idle workers, functions behind no API run on idle processors only',
  async () => {
    await cloud.deploy('background', lambda('background', 'return process.pid;'));
    const SCHED_IDLE = 5;
    expect(await schedulingPolicyOf(await processOf('background'))).toBe(SCHED_IDLE);
  },
);

test('with two workers at once, two start together; a third invocation waits for a free one, but not for long', async () => {
  await cloud.deploy('slow', lambda('slow', 'await sleep(event.ms); return process.pid;'));
  const processes = (count: number, ms: number) =>
    Promise.all(Array.from({ length: count }, () => processOf('slow', { ms })));
  // Warm first: on a busy machine, a process may start for longer than an invocation waits.
  const warm = new Set(await processes(AT_ONCE, 1_000));
  expect(warm.size).toBe(AT_ONCE);
  expect(new Set(await processes(AT_ONCE + 2, 100))).toEqual(warm);
  expect(new Set(await processes(AT_ONCE + 1, 3_000)).size).toBe(AT_ONCE + 1);
});
