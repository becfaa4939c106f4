import { stores } from '../support/orgs.ts';
import { eventually, hangUpAt, voice, workersAreIdle } from '../support/stack.ts';
import {
  anotherProbe,
  aProbe,
  atEveryRequest,
  callOf,
  disturbed,
  expectAllKept,
  faultsToTry,
  isFinished,
  onLinux,
  type Probe,
  place,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

onLinux('hand-over-slots, with one duplicate of its message', () => {
  const faults = disturbed('hand-over-slots');

  it.each(faultsToTry)(
    'rings and ends both calls of an org with one slot once each: %s at each effect',
    async (fault) => {
      const first: Probe[] = [];
      const others: Probe[] = [];
      const { probes, kinds } = await atEveryRequest(async (target) => {
        const probe = await aProbe({ script: { behaviour: 'answer', talkSeconds: 36_000 } });
        await stores.organizations.update(probe.org.orgId, { max_live_calls: 1 });
        await stores.assistants.update(probe.org.assistantId, { max_duration_seconds: 36_000 });
        await place(probe);
        await eventually(
          () => callOf(probe),
          (call) => call?.status === 'in_progress',
        );
        const second = anotherProbe(probe.org);
        await place(second);
        // The second call's dial message is consumed once a call placed after it has ended.
        const other = await aProbe({ script: { behaviour: 'busy' } });
        await place(other);
        await eventually(isFinished(other), (isThrough) => isThrough);
        await workersAreIdle();
        expect((await callOf(second))?.dial_claimed_at).toBeUndefined();
        others.push(other);
        const armed = faults().arm('hand-over-slots', { ...target, fault });
        await hangUpAt(probe.phone);
        const hasStruck = await struck(armed, isFinished(second));
        await send('slots', { call_id: probe.callId });
        // The requests carry no call id, so this round's requests must not reach the next round.
        await eventually(isFinished(second), (isThrough) => isThrough, 10).catch(() => undefined);
        await voice.untilIdle();
        first.push(probe);
        return { probe: second, armed, struck: hasStruck };
      });
      expect(kinds).toEqual(
        expect.arrayContaining(['DynamoDB GetItem slots', 'DynamoDB Query calls', 'AmazonSQS SendMessageBatch']),
      );
      await settle([...first, ...probes, ...others]);
      const calls = await expectAllKept([...first, ...probes]);
      for (const call of calls) expect(call.status).toBe('completed');
    },
  );
});
