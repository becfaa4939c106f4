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
  // The schedule's own runs would be counted, too. Each case resumes it at its end.
  beforeEach(() => pauseRecovery());
  afterAll(() => resumeRecovery());

  /** A call whose end the platform never reported. */
  async function anUnheardCall(): Promise<Probe> {
    const probe = await aProbe({ script: { behaviour: 'answer', dropLast: 'ended-and-report' } });
    await place(probe);
    await eventually(
      () => callOf(probe),
      (call) => call?.status === 'in_progress',
    );
    return probe;
  }

  /** A call with an unknown dial: absent in two lookups, then dialed again. */
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

  it.each(faultsToTry)('ends lost calls and charges them once: %s at each effect', async (fault) => {
    // The first lookup is done, so that every run includes a second one.
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
