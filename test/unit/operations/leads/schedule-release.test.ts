import type { SQSClient } from '@aws-sdk/client-sqs';
import type { CallWork } from '../../../../shared/messages/call-work.ts';
import { scheduleRelease } from '../../../../shared/operations/leads/schedule-release.ts';
import { leadQueue } from '../../../../shared/stores/leads/lead-queue.ts';
import { aCall, aCalledLead } from '../../support/call.ts';
import { aWorld } from '../../support/worlds/world.ts';

const scheduled_for = '2026-03-02T09:00:00.000Z';

function aScheduledCall() {
  const world = aWorld();
  const call = aCall({ status: 'scheduled', unfinished: 'scheduled', scheduled_for, held: 0, lead: aCalledLead() });
  world.putCall(call);
  const inputs: Record<string, unknown>[] = [];
  const sqs = { send: async ({ input }: { input: Record<string, unknown> }) => inputs.push(input) };
  const schedules = world.schedules<CallWork>();
  const deps = {
    ...world.common,
    releaseAt: schedules.plan,
    leadQueue: leadQueue(sqs as unknown as SQSClient, 'url'),
  };
  return Object.assign(world, { inputs, schedules, run: () => scheduleRelease(deps, call.call_id) });
}

describe('the release of a scheduled call', () => {
  it('is planned once, and sent at its time in the group of its connection', async () => {
    const world = aScheduledCall();
    expect(await world.run()).toBe('release_scheduled');
    expect(await world.run()).toBe('release_scheduled');
    expect(world.inputs).toEqual([]);
    world.now = scheduled_for;
    const due = world.schedules.due();
    expect(due).toEqual([{ call_id: aCall().call_id }]);
    for (const _work of due) expect(await world.run()).toBe('release_sent');
    expect(world.inputs).toMatchObject([{ MessageGroupId: 'conn_1', DelaySeconds: 0 }]);
  });

  it('waits in the queue if its window opens within a minute', async () => {
    const world = aScheduledCall();
    world.now = '2026-03-02T08:59:30.000Z';
    expect(await world.run()).toBe('release_sent');
    expect(world.inputs).toMatchObject([{ MessageGroupId: 'conn_1', DelaySeconds: 30 }]);
  });
});
