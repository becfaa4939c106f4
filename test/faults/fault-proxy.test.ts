import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { eventually, lambda, named } from '../support/stack.ts';
import { coldStart, workersOf } from '../support/worker-processes.ts';
import { aProbe, callOf, isFinished, onLinux, type Probe, place, settle } from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

const NAME = 'dial-call';
const FIRST = 'DynamoDB GetItem calls';

onLinux('the fault proxy', () => {
  let faults: FaultProxy;
  beforeAll(async () => {
    faults = await faultProxy();
    await faults.between(NAME);
  });
  afterAll(() => faults.remove());

  const finished = (probe: Probe) => eventually(isFinished(probe), (isThrough) => isThrough);

  it('counts the requests of a function for one call', async () => {
    const [probe, other] = [await aProbe(), await aProbe()];
    await coldStart(NAME);
    const armed = faults.arm(NAME, { callId: probe.callId });
    await Promise.all([probe, other].map(place));
    await Promise.all([probe, other].map(finished));
    expect(armed.requests.filter((what) => what === 'voice POST /call')).toHaveLength(1);
    expect(armed.requests).toContain('DynamoDB GetItem organizations');
    expect(armed.struck).toBeUndefined();
  });

  it('drop: loses the answer but not the worker, so that the SDK retries', async () => {
    const probe = await aProbe();
    const armed = faults.arm(NAME, { request: 1, fault: 'drop', callId: probe.callId });
    await place(probe);
    await finished(probe);
    expect(armed.struck).toBe(FIRST);
    expect(armed.requests.slice(0, 2)).toEqual([FIRST, FIRST]);
  });

  it.each([
    ['drop-and-kill', 'dialing'],
    ['kill-before', 'queued'],
  ] as const)('%s at the claim: the worker is gone and the call is %s', async (fault, status) => {
    const probe = await aProbe();
    const what = 'DynamoDB TransactWriteItems calls slots';
    await coldStart(NAME);
    const armed = faults.arm(NAME, { what, request: 1, fault, callId: probe.callId });
    await place(probe);
    const killed = await eventually(
      async () => armed.killed,
      (pid) => pid !== undefined,
    );
    expect(armed.struck).toBe(what);
    await eventually(
      () => workersOf(NAME),
      (pids) => !pids.includes(killed ?? 0),
    );
    expect((await callOf(probe))?.status).toBe(status);
    await settle([probe]);
  });

  it('restores the function when it is removed', async () => {
    const variables = async () => {
      const FunctionName = named.function('publish-call-events');
      return (await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))).Environment?.Variables;
    };
    const before = await variables();
    const own = await faultProxy();
    await own.between('publish-call-events');
    expect(await variables()).not.toEqual(before);
    await own.remove();
    expect(await variables()).toEqual(before);
  });
});
