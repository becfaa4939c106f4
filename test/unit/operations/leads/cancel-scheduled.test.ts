import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CREDIT } from '../../support/items.ts';
import {
  aCallingConnection,
  aScheduledLead,
  CONNECTION,
  found,
  HOLD,
  type LeadWorld,
  leadWorld,
  NIGHT,
  namedOnly,
  OPENS,
} from '../../support/lead-world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

describe('a connection that is switched off', () => {
  const two = async () => {
    const world = await aScheduledLead();
    const phones: Record<string, string> = { 1001: '98765 43210', 1002: '98123 45678', 1003: '98989 89898' };
    world.crm = (lead_id) => found({ lead_id, phones: [phones[lead_id] ?? ''] });
    await world.process(world.event({ event_id: 'evt_2', lead: namedOnly('1002') }));
    return world;
  };

  it.each([
    ['auto-call goes off', { auto_call: false }, 'Auto-call was switched off for this connection.'],
    ['it is disconnected', { grant: undefined }, 'The connection was disconnected.'],
  ])('cancels its scheduled calls, each with its entry and its claims: %s', async (_what, change, reason) => {
    const world = await two();
    await world.cancelScheduled(world.connectionChange(change));
    expect(world.calls().map(({ status, ended_reason }) => [status, ended_reason])).toEqual([
      ['canceled', 'auto_call_disabled'],
      ['canceled', 'auto_call_disabled'],
    ]);
    expect(world.logged).toEqual(
      world.calls().map(({ call_id }) => ({
        message: 'scheduled call processed',
        call_id,
        connection_id: CONNECTION,
        outcome: 'auto_call_disabled',
      })),
    );
    expect(world.claims()).toEqual([]);
    expect(world.ledger()).toEqual([]);
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.entries().slice(2)).toMatchObject([
      { event_id: 'evt_1.release.202603030330', source: 'release', outcome: 'auto_call_disabled', reason },
      { event_id: 'evt_2.release.202603030330', source: 'release', outcome: 'auto_call_disabled', reason },
    ]);
    const before = world.snapshot();
    // The same change again, and then the release.
    await world.cancelScheduled(world.connectionChange({ ...change, auto_call: true }), world.connectionChange(change));
    expect(await world.release({ ...world.event(), original_event_id: 'evt_1', scheduled_for: OPENS })).toBe(
      'not_scheduled',
    );
    expect(world.snapshot().get('calls')).toEqual(before.get('calls'));
    expect(world.snapshot().get('activity')).toEqual(before.get('activity'));
  });

  it('does not cancel its calls at any other change, or if it was already off', async () => {
    const world = await two();
    const before = world.snapshot();
    const off = aCallingConnection({ auto_call: false });
    const gone = aCallingConnection({ grant: undefined });
    await world.cancelScheduled(
      { sequenceNumber: '1', before: undefined, after: off } as never,
      { sequenceNumber: '2', before: off, after: { ...off, last_delivery_at: NIGHT } },
      { sequenceNumber: '2', before: gone, after: { ...gone, last_delivery_at: NIGHT } },
      { sequenceNumber: '3', before: off, after: aCallingConnection() },
      { sequenceNumber: '4', before: aCallingConnection(), after: { ...aCallingConnection(), settings: {} } },
      { sequenceNumber: '5', before: aCallingConnection(), after: aCallingConnection({ trigger_owner_user_id: 'x' }) },
      { sequenceNumber: '6', before: aCallingConnection(), after: aCallingConnection({ token_hash: undefined }) },
    );
    expect(world.snapshot()).toEqual(before);
  });

  it('does not cancel calls of other connections, or queued calls', async () => {
    const world = await two();
    const other = aCallingConnection({ connection_id: 'conn_2' });
    world.put('connections', other);
    await world.process(world.event({ connection_id: 'conn_2', event_id: 'evt_3', lead: namedOnly('1003') }));
    world.now = OPENS;
    expect(await world.release(world.releaseMessage('evt_2'))).toBe('call queued');
    await world.cancelScheduled(world.connectionChange({ auto_call: false }));
    expect(world.calls().map(({ status }) => status)).toEqual(['canceled', 'queued', 'scheduled']);
    expect(world.credit().held).toBe(HOLD);
  });

  it('cancels all its calls, wherever a worker dies', async () => {
    const begin = async () => {
      const world = await two();
      return Object.assign(world, { change: world.connectionChange({ auto_call: false }) });
    };
    for await (const [world] of worldThatDies(begin, (each) => each.cancelScheduled(each.change))) {
      await world.cancelScheduled(world.change);
      expect(world.calls().map(({ status }) => status)).toEqual(['canceled', 'canceled']);
      expect(world.entries()).toHaveLength(4);
      expect(world.claims()).toEqual([]);
    }
  });

  it('while a call is being scheduled cancels that call when its window opens', async () => {
    const world = leadWorld();
    world.now = NIGHT;
    let change: ReturnType<LeadWorld['connectionChange']> | undefined;
    world.hooks.before = (operation) => {
      if (operation === 'TransactWrite' && !change) change = world.connectionChange({ auto_call: false });
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
        const words = Promise.all([
          world.release(message),
          world.cancelScheduled(world.connectionChange({ auto_call: false })),
          world.release(message),
        ]);
        await scheduler.waitFor(words);
        const { status, held } = world.call();
        expect(['canceled', 'queued']).toContain(status);
        expect(world.entries()).toHaveLength(2);
        expect(world.credit().held).toBe(held);
        expect(world.claims()).toHaveLength(status === 'queued' ? 2 : 0);
        expect(world.ledger()).toHaveLength(status === 'queued' ? 1 : 0);
      }),
      { numRuns: 100 },
    );
  });
});
