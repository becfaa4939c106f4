import type { CallWork } from '../../../../shared/messages/call-work.ts';
import { resendTurn } from '../../../../shared/operations/calls/recovery/recover-call.ts';
import { aCrmBSync } from '../../support/crm-b-sync.ts';

describe('recover-calls, for a turn that no worker takes', () => {
  const recoverEvery5Minutes = async (world: ReturnType<typeof aCrmBSync>, minutes: number) => {
    const queue = world.queue<CallWork>();
    for (let passed = 0; passed < minutes; passed += 5) {
      world.pass(300);
      await resendTurn(world.stores.calls, queue, 'crm-b', world.call(), world.deps.now());
    }
    return queue.sent.length;
  };

  it('sends its message again with growing intervals, because it may wait in a long queue', async () => {
    expect(await recoverEvery5Minutes(aCrmBSync(), 5)).toBe(1);
    const sent = await recoverEvery5Minutes(aCrmBSync(), 6 * 60);
    expect(sent).toBeGreaterThanOrEqual(5);
    expect(sent).toBeLessThanOrEqual(8);
  });

  it('sends nothing while a turn is taken or planned', async () => {
    const world = aCrmBSync({ call: { crm_b_sync_after: '2026-03-03T06:00:00.000Z' } });
    expect(await recoverEvery5Minutes(world, 60)).toBe(0);
  });

  it('starts with short intervals again for the next turn', async () => {
    const world = aCrmBSync({ fates: { call_log: '429' } });
    await recoverEvery5Minutes(world, 60);
    expect(await world.run()).toBe('waiting');
    world.pass(3_600);
    expect(await recoverEvery5Minutes(world, 5)).toBe(1);
    await world.untilDone(3);
    expect(world.call().crm_b_sync_sent_at).toBeUndefined();
  });
});
