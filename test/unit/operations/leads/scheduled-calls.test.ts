import { describe, expect, it } from '@jest/globals';
import { recoverCalls } from '../../../../shared/operations/calls/recover-calls.ts';
import { withdrawCall } from '../../../../shared/operations/calls/steps/withdraw-call.ts';
import { CREDIT, ist, MONDAY, TUESDAY } from '../../support/items.ts';
import { aQueuedLead, aScheduledLead, type LeadWorld, OPENS } from '../../support/lead-world.ts';

describe('recover-calls', () => {
  const recovery = (world: LeadWorld) => {
    const unused = () => {
      throw new Error('nothing else has to be done');
    };
    return recoverCalls({
      ...world.deps,
      finishQueue: world.queue(),
      syncQueue: world.queue(),
      voice: { ...world.deps.voice, find: unused, read: unused },
      timeLeftMs: () => 1_000_000,
      warn: unused,
    } as never);
  };

  it('sends the message of a lost schedule, three minutes after its time', async () => {
    const world = await aScheduledLead();
    const message = world.releaseMessage();
    world.now = ist(TUESDAY, '09:02:59.999');
    expect(await recovery(world)).toMatchObject({ looked_at: 1, failed: 0 });
    expect(world.queued).toEqual([]);
    world.now = ist(TUESDAY, '09:03');
    expect(await recovery(world)).toMatchObject({ release: 1, failed: 0 });
    expect(world.queued).toMatchObject([{ message, delay: 0 }]);
    expect(await world.release(message)).toBe('call queued');
  });

  it('sends no release for a call that was released, canceled or postponed since the index was read', async () => {
    const changes: ((world: LeadWorld) => Promise<unknown>)[] = [
      (world) => world.release(world.releaseMessage()),
      (world) => world.cancel(),
      (world) => {
        world.connectionChange({ settings: { call_window_start: '11:00', call_window_end: '21:00' } });
        return world.release(world.releaseMessage());
      },
    ];
    for (const change of changes) {
      const world = await aScheduledLead();
      world.now = ist(TUESDAY, '09:05');
      world.freezeIndexes();
      await change(world);
      world.queued.length = 0;
      expect(await recovery(world)).toMatchObject({ looked_at: 1, failed: 0 });
      expect(world.queued).toEqual([]);
    }
  });

  it('postpones a call that was not dialed by the end of its window', async () => {
    const world = await aQueuedLead(ist(MONDAY, '20:59'));
    world.now = ist(MONDAY, '21:00');
    expect(await recovery(world)).toMatchObject({ expire: 1, failed: 0 });
    expect(world.call()).toMatchObject({ status: 'scheduled', scheduled_for: OPENS });
  });
});

describe('an operator', () => {
  it('cancels a call that waits for its window without a hold, and frees its claims', async () => {
    const world = await aScheduledLead();
    expect(await world.cancel()).toBe('canceled');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'canceled_by_operator', cost: 0 });
    expect(world.claims()).toEqual([]);
    expect(world.ledger()).toEqual([]);
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(await world.cancel()).toBe('already_ended');
    world.now = OPENS;
    expect(await world.release({ ...world.event(), original_event_id: 'evt_1', scheduled_for: OPENS })).toBe(
      'not_scheduled',
    );
    expect(await world.process(world.event({ event_id: 'evt_2', at: OPENS }))).toBe('call queued');
  });

  it('cancels a call that was postponed after it had held credit', async () => {
    const world = await aQueuedLead();
    world.now = ist(MONDAY, '14:00');
    await world.dial();
    expect(await world.cancel()).toBe('canceled');
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.ledger()).toHaveLength(2);
    expect(world.claims()).toEqual([]);
  });

  it('cancels a call permanently, even during its release', async () => {
    const world = await aScheduledLead();
    world.now = OPENS;
    world.hooks.before = (operation) => {
      if (operation === 'TransactWrite') world.put('calls', { ...world.all('calls')[0], status: 'canceled' });
    };
    expect(await world.release(world.releaseMessage())).toBe('not_scheduled');
    expect([world.call().status, world.credit().held, world.entries().length]).toEqual(['canceled', 0, 1]);
  });

  it('who is overtaken by a postponement does not free outdated claims', async () => {
    const world = await aScheduledLead();
    const asRead = world.call();
    world.now = ist(TUESDAY, '21:30');
    expect(await world.release(world.releaseMessage())).toBe('call scheduled');
    const before = world.snapshot();
    expect(await withdrawCall(world.deps, asRead, 'canceled', 'canceled_by_operator')).toBe(false);
    expect(world.snapshot()).toEqual(before);
    expect(await world.cancel()).toBe('canceled');
    expect(world.claims()).toEqual([]);
  });

  it('who is overtaken by a release can cancel again without a loss of credit', async () => {
    const world = await aScheduledLead();
    world.now = OPENS;
    const message = world.releaseMessage();
    const asRead = world.call();
    await world.release(message);
    expect(await withdrawCall(world.deps, asRead, 'canceled', 'canceled_by_operator')).toBe(false);
    expect(world.call().status).toBe('queued');
    expect(await world.cancel()).toBe('canceled');
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.ledger()).toHaveLength(2);
  });
});
