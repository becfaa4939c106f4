import { stores } from '../support/orgs.ts';
import { eventually, voice } from '../support/stack.ts';
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

import.meta.jest.setTimeout(300_000);

onLinux('hand-over-slots, with one duplicate of its message', () => {
  const faults = disturbed('hand-over-slots');

  it.each(faultsToTry)(
    'both calls of an org with one slot ring once and end: %s at each of its requests',
    async (fault) => {
      const first: Probe[] = [];
      const { probes, kinds } = await atEveryRequest(async (target) => {
        const probe = await aProbe({ script: { behaviour: 'answer', talkSeconds: 60 } });
        await stores.organizations.update(probe.org.orgId, { max_live_calls: 1 });
        await place(probe);
        await eventually(
          () => callOf(probe),
          (call) => call?.dial_claimed_at !== undefined,
        );
        const second = anotherProbe(probe.org);
        const armed = faults().arm('hand-over-slots', { ...target, fault });
        await place(second);
        const hasStruck = await struck(armed, isFinished(second));
        await send('slots', { call_id: probe.callId });
        // What it asks bears no call's id: nothing of this round may reach into the next.
        await eventually(isFinished(second), (isThrough) => isThrough, 3).catch(() => undefined);
        await voice.untilIdle();
        first.push(probe);
        return { probe: second, armed, struck: hasStruck };
      });
      expect(kinds).toEqual(
        expect.arrayContaining(['DynamoDB GetItem slots', 'DynamoDB Query calls', 'AmazonSQS SendMessageBatch']),
      );
      await settle([...first, ...probes]);
      const calls = await expectAllKept([...first, ...probes]);
      for (const call of calls) expect(call.status).toBe('completed');
    },
  );
});
