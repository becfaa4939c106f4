import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { aCall } from '../../support/call.ts';
import type { Send } from '../../support/worlds/database.ts';
import { aWorld } from '../../support/worlds/world.ts';

/** An ended call without any of the marks, and the writes that set them. */
function anOpenCall(over: Partial<Call> = {}, wrap?: (send: Send) => Send) {
  const { call_id } = aCall();
  const world = aWorld({}, wrap);
  const { calls } = world.stores;
  world.putCall(
    aCall({
      status: 'completed',
      unfinished: 'ended',
      callback_status: 'pending',
      crm_b_sync: 'pending',
      crm_b_sync_after: world.now,
      crm_b_sync_error: 'too many requests',
      ticket_work: 'pending',
      ticket_after: world.now,
      recording: { state: 'none' },
      ...over,
    }),
  );
  const marks = {
    finish: () => calls.finish(call_id, world.now),
    notify: () => calls.recordCallbackStatus(call_id, 'delivered'),
    sync: () => calls.completeWork('crm-b', call_id),
    ticket: () => calls.completeWork('help-desk', call_id),
  };
  return { marks, call: () => world.callOf(call_id) };
}

const names = ['finish', 'notify', 'sync', 'ticket'] as const;

const expectComplete = (call: Call) => {
  expect(call).toMatchObject({
    callback_status: 'delivered',
    crm_b_sync: 'done',
    ticket_work: 'done',
    finished_at: expect.any(String),
  });
  for (const left of ['unfinished', 'crm_b_sync_after', 'crm_b_sync_error', 'ticket_after'])
    expect(call).not.toHaveProperty(left);
};

describe('the four marks that complete the work on a call', () => {
  it('complete it with the last of them and not before, in any order, some at once, each set only once', async () => {
    const orders = fc.shuffledSubarray([...names], { minLength: names.length });
    await fc.assert(
      fc.asyncProperty(orders, fc.nat({ max: names.length }), fc.scheduler(), async (order, alone, scheduler) => {
        const { marks, call } = anOpenCall({}, (send) => scheduler.scheduleFunction(send));
        for (const name of order.slice(0, alone)) {
          expect(call().unfinished).toBe('ended');
          expect(await scheduler.waitFor(marks[name]())).toBe(true);
          expect(await scheduler.waitFor(marks[name]())).toBe(false);
        }
        const atOnce = order.slice(alone);
        if (atOnce.length > 0) expect(call().unfinished).toBe('ended');
        const results = await scheduler.waitFor(Promise.all(atOnce.map((name) => marks[name]())));
        expect(results).toEqual(atOnce.map(() => true));
        expectComplete(call());
      }),
      { numRuns: 100 },
    );
  });

  it.each(['recording', 'analysis'] as const)('cannot complete it while its %s is pending', async (step) => {
    const { marks, call } = anOpenCall({ [step]: { state: 'pending' } });
    for (const name of names) expect(await marks[name]()).toBe(name !== 'finish');
    expect(call().unfinished).toBe('ended');
  });
});
