import fc from 'fast-check';
import { recoverCalls } from '../../../../shared/operations/calls/recover-calls.ts';
import { withdrawCall } from '../../../../shared/operations/calls/steps/withdraw-call.ts';
import { CREDIT, ist, MONDAY, TUESDAY } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  aQueuedLead,
  aScheduledLead,
  atItsOpening,
  CONNECTION,
  connectionHas,
  expectBooks,
  found,
  type LeadWorld,
  leadWorld,
  NIGHT,
  namedOnly,
  OPENS,
  windowOf,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const NOTHING_HELD = { available: CREDIT, held: 0 };

describe('a connection that is switched off', () => {
  const OFF = { auto_call: false };
  const twoScheduledLeads = async () => {
    const world = await aScheduledLead();
    const phones: Record<string, string> = { 1001: '98765 43210', 1002: '98123 45678', 1003: '98989 89898' };
    world.crm = (lead_id) => found({ lead_id, phones: [phones[lead_id] ?? ''] });
    await world.process(world.event({ event_id: 'evt_2', lead: namedOnly('1002') }));
    return world;
  };
  const statuses = (world: LeadWorld) => world.calls().map(({ status }) => status);

  it.each([
    ['auto-call goes off', OFF, 'Auto-call is off for this connection.'],
    ['it is disconnected', { grant: undefined }, 'The connection is disconnected.'],
  ])('cancels its scheduled calls, each with its entry and its claims: %s', async (_what, change, reason) => {
    const world = await twoScheduledLeads();
    const outcome = 'auto_call_disabled';
    await world.switchOff(world.connectionChange(change));
    expect(world.calls()).toMatchObject(Array(2).fill({ status: 'canceled', ended_reason: outcome }));
    const facts = { message: 'call of a switched-off connection processed', connection_id: CONNECTION, outcome };
    expect(world.logged).toEqual(world.calls().map(({ call_id }) => ({ ...facts, call_id })));
    expect(world.claims()).toEqual([]);
    expect(world.ledger()).toEqual([]);
    expect(world.credit()).toEqual(NOTHING_HELD);
    expect(world.entries().slice(2)).toMatchObject([
      { event_id: 'evt_1.release.202603030330', source: 'release', outcome, reason },
      { event_id: 'evt_2.release.202603030330', source: 'release', outcome, reason },
    ]);
    // The same change again, and then the release.
    const [calls, entries] = [world.calls(), world.entries()];
    await world.switchOff(world.connectionChange({ ...change, auto_call: true }), world.connectionChange(change));
    const message = { ...world.event(), original_event_id: 'evt_1', scheduled_for: OPENS };
    expect(await world.release(message)).toBe('not_scheduled');
    expect([world.calls(), world.entries()]).toEqual([calls, entries]);
  });

  it('does not cancel its calls at another change, or if it was already off', async () => {
    const world = await twoScheduledLeads();
    const before = world.snapshot();
    const [on, off, gone] = [{}, OFF, { grant: undefined }].map((over) => aCallingConnection(over));
    const delivery = { last_delivery_at: NIGHT };
    const changes = [
      [undefined, off],
      [off, { ...off, ...delivery }],
      [gone, { ...gone, ...delivery }],
      [off, on],
      [on, { ...on, settings: {} }],
      [on, { ...on, trigger_owner_user_id: 'x' }],
      [on, { ...on, token_hash: undefined }],
    ].map(([before, after]) => ({ sequenceNumber: '1', before, after }));
    await world.switchOff(...(changes as Parameters<typeof world.switchOff>));
    expect(world.snapshot()).toEqual(before);
  });

  it('does not cancel calls of other connections', async () => {
    const world = await twoScheduledLeads();
    world.put('connections', aCallingConnection({ connection_id: 'conn_2' }));
    await world.process(world.event({ connection_id: 'conn_2', event_id: 'evt_3', lead: namedOnly('1003') }));
    world.now = OPENS;
    expect(await world.release(world.releaseMessage('evt_2'))).toBe('call queued');
    await world.switchOff(world.connectionChange(OFF));
    expect(statuses(world)).toEqual(['canceled', 'canceled', 'scheduled']);
    expect(world.credit().held).toBe(0);
  });

  it('cancels all its calls, wherever a worker dies', async () => {
    const begin = async () => {
      const world = await twoScheduledLeads();
      return Object.assign(world, { change: world.connectionChange(OFF) });
    };
    for await (const [world] of worldThatDies(begin, (each) => each.switchOff(each.change))) {
      await world.switchOff(world.change);
      expect(statuses(world)).toEqual(['canceled', 'canceled']);
      expect(world.entries()).toHaveLength(4);
      expect(world.claims()).toEqual([]);
    }
  });

  it('while a call is being scheduled cancels that call when its window opens', async () => {
    const world = leadWorld();
    world.now = NIGHT;
    world.hooks.before = (operation) => {
      if (operation === 'TransactWrite') world.connectionChange(OFF);
    };
    // The index does not show the call yet.
    expect(await world.process(world.event())).toBe('call scheduled');
    world.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('auto_call_disabled');
    expect(world.call().status).toBe('canceled');
    expect(world.claims()).toEqual([]);
  });

  it('while a call is being released cancels the call or leaves it queued, never both', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        let isMixed = false;
        const world = leadWorld({}, (send) => {
          const slow = scheduler.scheduleFunction(send);
          return (command: never) => (isMixed ? slow(command) : send(command));
        });
        world.now = NIGHT;
        await world.process(world.event());
        world.now = OPENS;
        const message = world.releaseMessage();
        isMixed = true;
        const work = [world.release(message), world.switchOff(world.connectionChange(OFF)), world.release(message)];
        await scheduler.waitFor(Promise.all(work));
        const { status } = world.call();
        expect(['canceled', 'queued']).toContain(status);
        expect(world.entries()).toHaveLength(2);
        expectBooks(world);
        expect(world.claims()).toHaveLength(status === 'queued' ? 2 : 0);
        expect(world.ledger()).toHaveLength(status === 'queued' ? 1 : 0);
      }),
      { numRuns: 100 },
    );
  });
});

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

  it('sends the message of a release with growing intervals while no worker takes it, because it may wait in a long queue', async () => {
    const { world } = await atItsOpening();
    for (let run = 0; run < 60 / 5; run += 1) {
      world.pass(5 * 60);
      await recovery(world);
    }
    expect(world.queued).toHaveLength(4);
    // A later window restarts the count.
    world.queued.length = 0;
    connectionHas({ settings: windowOf('11:00') })(world);
    expect(await world.release(world.releaseMessage())).toBe('call scheduled');
    world.now = ist(TUESDAY, '11:03');
    await recovery(world);
    expect(world.queued).toHaveLength(1);
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
    world.pass(1);
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('call queued');
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
    ['postponement', ist(TUESDAY, '21:30'), 'call scheduled'],
    ['release', OPENS, 'call queued'],
  ])(
    'who is overtaken by a %s frees no outdated claims, and can cancel again without a loss of credit',
    async (...row) => {
      const [, now, result] = row;
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
    },
  );
});
