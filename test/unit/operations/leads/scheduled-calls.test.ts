import { describe, expect, it } from '@jest/globals';
import { recoverCalls } from '../../../../shared/operations/calls/recover-calls.ts';
import { withdrawCall } from '../../../../shared/operations/calls/steps/withdraw-call.ts';
import { CREDIT, ist, MONDAY, TUESDAY } from '../../support/items.ts';
import {
  aQueuedLead,
  aScheduledLead,
  atItsOpening,
  connectionHas,
  type LeadWorld,
  OPENS,
  windowOf,
} from '../../support/lead-world.ts';

const NOTHING_HELD = { available: CREDIT, held: 0 };

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
    const { world, message } = await atItsOpening();
    world.now = ist(TUESDAY, '09:02:59.999');
    expect(await recovery(world)).toMatchObject({ looked_at: 1, failed: 0 });
    expect(world.queued).toEqual([]);
    world.now = ist(TUESDAY, '09:03');
    expect(await recovery(world)).toMatchObject({ release: 1, failed: 0 });
    expect(world.queued).toMatchObject([{ message, delay: 0 }]);
    expect(await world.release(message)).toBe('call queued');
  });

  const release = (world: LeadWorld) => world.release(world.releaseMessage());
  it.each<[string, (world: LeadWorld) => Promise<unknown>]>([
    ['released', release],
    ['canceled', (world) => world.cancel()],
    [
      'postponed',
      (world) => {
        connectionHas({ settings: windowOf('11:00') })(world);
        return release(world);
      },
    ],
  ])('sends no release for a call that was %s since the index was read', async (_what, change) => {
    const { world } = await atItsOpening();
    world.now = ist(TUESDAY, '09:05');
    world.freezeIndexes();
    await change(world);
    world.queued.length = 0;
    expect(await recovery(world)).toMatchObject({ looked_at: 1, failed: 0 });
    expect(world.queued).toEqual([]);
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
    const { world, message } = await atItsOpening();
    expect(await world.cancel()).toBe('canceled');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'canceled_by_operator', cost: 0 });
    expect(world.claims()).toEqual([]);
    expect(world.ledger()).toEqual([]);
    expect(world.credit()).toEqual(NOTHING_HELD);
    const after = world.snapshot();
    expect(await world.cancel()).toBe('already_ended');
    expect(await world.release(message)).toBe('not_scheduled');
    expect(world.snapshot()).toEqual(after);
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('call queued');
  });

  it('cancels a call that was postponed after it had held credit', async () => {
    const world = await aQueuedLead();
    world.now = ist(MONDAY, '14:00');
    await world.dial();
    expect(await world.cancel()).toBe('canceled');
    expect(world.credit()).toEqual(NOTHING_HELD);
    expect(world.ledger()).toHaveLength(2);
    expect(world.claims()).toEqual([]);
  });

  it('cancels a call permanently, even during its release', async () => {
    const { world, message } = await atItsOpening();
    world.hooks.before = (operation) => {
      if (operation === 'TransactWrite') world.put('calls', { ...world.all('calls')[0], status: 'canceled' });
    };
    expect(await world.release(message)).toBe('not_scheduled');
    expect([world.call().status, world.credit().held, world.entries().length]).toEqual(['canceled', 0, 1]);
  });

  it.each([
    ['postponement', ist(TUESDAY, '21:30'), 'call scheduled', 0],
    ['release', OPENS, 'call queued', 2],
  ])(
    'who is overtaken by a %s frees no outdated claims, and can cancel again without a loss of credit',
    async (...row) => {
      const [, now, result, ledgerEntries] = row;
      const world = await aScheduledLead();
      const asRead = world.call();
      world.now = now;
      expect(await world.release(world.releaseMessage())).toBe(result);
      const before = world.snapshot();
      expect(await withdrawCall(world.deps, asRead, 'canceled', 'canceled_by_operator')).toBe(false);
      expect(world.snapshot()).toEqual(before);
      expect(await world.cancel()).toBe('canceled');
      expect(world.claims()).toEqual([]);
      expect(world.credit()).toEqual(NOTHING_HELD);
      expect(world.ledger()).toHaveLength(ledgerEntries);
    },
  );
});
