import { eventually, passTime, pauseRecovery, recoverCalls, resumeRecovery, voice } from '../support/stack.ts';
import {
  aProbe,
  atEveryRequest,
  callOf,
  disturbed,
  expectAllKept,
  faultsToTry,
  onLinux,
  type Probe,
  place,
  settle,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

onLinux('recover-calls, run again after it died', () => {
  const faults = disturbed('recover-calls');
  // What runs by itself would be counted with what the test runs. Each case lets it run again at its end.
  beforeEach(() => pauseRecovery());
  afterAll(() => resumeRecovery());

  /** One whose end the platform never told. */
  async function anUnheardCall(): Promise<Probe> {
    const probe = await aProbe({ script: { behaviour: 'answer', dropLast: 'ended-and-report' } });
    await place(probe);
    await eventually(
      () => callOf(probe),
      (call) => call?.status === 'in_progress',
    );
    return probe;
  }

  /** One of which nobody knows whether the platform took it: absent on two looks, then dialed again. */
  async function anUnknownCall(): Promise<Probe> {
    const probe = await aProbe();
    await voice.script(probe.phone, { behaviour: 'server-error' }, { behaviour: 'answer' });
    await place(probe);
    await eventually(
      () => voice.requests(probe.phone),
      ({ length }) => length === 1,
    );
    return probe;
  }

  it.each(faultsToTry)('lost calls end, charged once: %s at each of its requests', async (fault) => {
    // Its first look is behind it, so that every run meets one of the second look as well.
    const others = [await anUnknownCall()];
    await passTime(200);
    await recoverCalls();
    const { probes, kinds } = await atEveryRequest(async (target) => {
      const [probe, other] = await Promise.all([anUnheardCall(), anUnknownCall()]);
      await voice.untilIdle();
      others.push(other);
      await passTime(200);
      const armed = faults().arm('recover-calls', { ...target, fault });
      await recoverCalls().catch(() => undefined);
      const struck = armed.struck !== undefined;
      armed.disarm();
      await recoverCalls();
      expect((await callOf(probe))?.status).toBe('completed');
      return { probe, armed, struck };
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        'DynamoDB Query calls',
        'DynamoDB GetItem calls',
        'voice GET /call',
        'voice GET /call/…',
        'DynamoDB UpdateItem calls',
        'DynamoDB TransactWriteItems calls slots',
        'AmazonSQS SendMessage',
        'DynamoDB TransactWriteItems calls organizations credit-ledger slots',
      ]),
    );
    await resumeRecovery();
    await settle([...probes, ...others]);
    for (const call of await expectAllKept([...probes, ...others]))
      expect(call.status === 'completed' || call.ended_reason === 'expired').toBe(true);
  });
});
