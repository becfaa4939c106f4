import { changeAssistant, changeOrg, untilCall } from '../support/organizations/orgs.ts';
import { eventually, hangUpAt, workersAreIdle } from '../support/stack/stack.ts';
import { anotherProbe, aProbe, callOf, place, send } from './support/probes.ts';
import { expectAllKept, isFinished, settle } from './support/promises.ts';
import { disturbed, faultsToTry, onLinux } from './support/rounds.ts';

onLinux('hand-over-slots, with one duplicate of its message', () => {
  const { atEveryRequest } = disturbed('hand-over-slots');

  it.each(faultsToTry)(
    'rings and ends both calls of an organization with one slot once each: %s at each kind of effect',
    async (fault) => {
      const { rounds, probes, kinds } = await atEveryRequest(fault, async (arm) => {
        const first = await aProbe({ script: { behaviour: 'answer', talkSeconds: 36_000 } });
        await changeOrg(first.org.orgId, { max_live_calls: 1 });
        await changeAssistant(first.org.assistantId, { max_duration_seconds: 36_000 });
        await place(first);
        await untilCall(first.callId, ({ status }) => status === 'in_progress');
        const probe = anotherProbe(first.org);
        await place(probe);
        // The second call's dial message is consumed once a call placed after it has ended.
        const other = await aProbe({ script: { behaviour: 'busy' } });
        await place(other);
        await eventually(
          () => isFinished(other),
          (isThrough) => isThrough,
        );
        await workersAreIdle();
        expect((await callOf(probe))?.dial_claimed_at).toBeUndefined();
        await arm();
        await hangUpAt(first.phone);
        return { probe, first, other, again: () => send('slots', { call_id: first.callId }) };
      });
      expect(kinds['hand-over-slots']).toEqual(
        expect.arrayContaining(['DynamoDB GetItem slots', 'DynamoDB Query calls', 'AmazonSQS SendMessageBatch']),
      );
      const answered = [...rounds.map(({ first }) => first), ...probes];
      await settle([...answered, ...rounds.map(({ other }) => other)]);
      for (const { status } of await expectAllKept(answered)) expect(status).toBe('completed');
    },
  );
});
