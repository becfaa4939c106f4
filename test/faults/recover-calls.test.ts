import { untilCall } from '../support/organizations/orgs.ts';
import { eventually, passTime, pauseRecovery, recoverCalls, resumeRecovery, voice } from '../support/stack/stack.ts';
import { aProbe, callOf, type Probe, place } from './support/probes.ts';
import { expectAllKept, settle } from './support/promises.ts';
import { disturbed, faultsToTry, isThrough, onLinux } from './support/rounds.ts';

/**
 * Corrections of counters and of entries of the waiting list depend on the state that earlier rounds left, so a later
 * round may have none. The simulation lets processes die at them.
 */
const isOfInterest = (what: string): boolean => what !== 'DynamoDB UpdateItem slots';

onLinux('recover-calls, run again after it died', () => {
  const { atEveryRequest } = disturbed('recover-calls');
  // The schedule's own runs would be counted, too. Each case resumes the schedule at its end.
  beforeEach(() => pauseRecovery());
  afterAll(() => resumeRecovery());

  /** A call whose end the platform never reported. */
  async function anUnreportedCall(): Promise<Probe> {
    const probe = await aProbe({ script: { behaviour: 'answer', dropLast: 'ended-and-report' } });
    await place(probe);
    await untilCall(probe.callId, ({ status }) => status === 'in_progress');
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

  it.each(faultsToTry)('ends lost calls and charges them once: %s at each kind of effect', async (fault) => {
    // Corrects the counters that earlier files left wrong: the undisturbed run would otherwise send an extra request.
    await recoverCalls();
    await recoverCalls();
    // The first lookup is complete, so that every run includes a second one.
    const early = await anUnknownCall();
    await passTime(200);
    await recoverCalls();
    const { rounds, probes, kinds } = await atEveryRequest(
      fault,
      async (arm) => {
        const [probe, unknown] = await Promise.all([anUnreportedCall(), anUnknownCall()]);
        await voice.untilIdle();
        await passTime(200);
        await arm();
        await recoverCalls().catch(() => undefined);
        const again = async () => {
          await recoverCalls();
          expect((await callOf(probe))?.status).toBe('completed');
        };
        return { probe, isThrough, unknown, again };
      },
      { isOfInterest },
    );
    expect(kinds['recover-calls']).toEqual(
      expect.arrayContaining([
        'DynamoDB Query calls',
        'DynamoDB GetItem calls',
        'voice GET /call',
        'voice GET /call/…',
        'DynamoDB UpdateItem calls',
        'DynamoDB TransactWriteItems calls slots',
        'AmazonSQS SendMessage',
        'DynamoDB TransactWriteItems calls organizations credit-ledger usage slots',
      ]),
    );
    await resumeRecovery();
    const all = [...probes, ...rounds.map(({ unknown }) => unknown), early];
    await settle(all);
    for (const call of await expectAllKept(all))
      expect(call.status === 'completed' || call.ended_reason === 'expired').toBe(true);
  });
});
