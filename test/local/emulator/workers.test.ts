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

describe('with two workers at once,', () => {
  const processes = async (count: number, name: string, ms: number) =>
    new Set(await Promise.all(Array.from({ length: count }, () => processOf(name, { ms }))));

  test('a third invocation waits for a free worker, but not for long', async () => {
    await cloud.deploy('slow', lambda('slow', 'await sleep(event.ms); return process.pid;'));
    // Warm first: on a busy machine, a process may start for longer than an invocation waits.
    await processOf('slow', { ms: 0 });
    const warm = await processes(AT_ONCE, 'slow', 1_000);
    expect(warm.size).toBe(AT_ONCE);
    expect(await processes(AT_ONCE + 2, 'slow', 100)).toEqual(warm);
    expect((await processes(AT_ONCE + 1, 'slow', 3_000)).size).toBe(AT_ONCE + 1);
  });

  test('a second invocation waits for a worker that is starting, but not if its first answer takes long', async () => {
    for (const name of ['first', 'long'])
      await cloud.deploy(name, lambda(name, 'await sleep(event.ms); return process.pid;'));
    expect((await processes(AT_ONCE, 'first', 100)).size).toBe(1);
    expect((await processes(AT_ONCE, 'long', 5_000)).size).toBe(AT_ONCE);
  });
});
