import { describe, expect, it } from '@jest/globals';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aCall, aCalledLead, aClaimedCall } from '../../support/call.ts';
import { aReport, callWorld, expectConsistent, type Lookup } from '../../support/call-world.ts';
import { anOrg, CREDIT, ORG } from '../../support/items.ts';
import { START } from '../../support/world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const ended = (over: Partial<Call> = {}) =>
  aCall({ status: 'completed', unfinished: 'ended', finished_at: START, ...over });
const calls: Record<string, Call> = {
  release: aCall({ status: 'scheduled', unfinished: 'scheduled', scheduled_for: START, held: 0, lead: aCalledLead() }),
  expire: aCall({ dial_by: secondsAfter(START, 60) }),
  dial: aCall(),
  find: aClaimedCall(),
  read: aClaimedCall({ platform_id: 'p1', status: 'in_progress' }),
  finish: ended({ finished_at: undefined }),
  notify: ended({ callback_status: 'pending' }),
  sync: ended({ crm_b_sync: 'pending' }),
  ticket: ended({ ticket_work: 'pending' }),
};
const idOf = (step: string) => `call_${step}`;
const all = Object.entries(calls).map(([step, call]) => ({ ...call, call_id: idOf(step) }));

/** An organization without slots, so that no slot is handed over. */
const full = { org: { max_live_calls: 0 } };

describe('recover-calls', () => {
  it('repeats the lost step of every unfinished call', async () => {
    const world = callWorld(all, full);
    world.pass(200);
    const steps = Object.fromEntries(Object.keys(calls).map((step) => [step, 1]));
    expect(await world.recover()).toMatchObject({ complete: true, failed: 0, handed_over: 0, ...steps });
    const { deps } = world;
    const queues = { dial: deps.dialQueue, finish: deps.finishQueue, sync: deps.syncQueue, ticket: deps.ticketsQueue };
    for (const [step, { sent }] of Object.entries(queues))
      expect([step, sent.map(({ message }) => message)]).toEqual([step, [{ call_id: idOf(step) }]]);
    expect(world.notified).toEqual([idOf('notify')]);
    expect(deps.leadQueue.sent).toMatchObject([{ message: { source: 'release', scheduled_for: START } }]);
    expect(world.stored(idOf('expire'))).toMatchObject({ status: 'failed', ended_reason: 'expired' });
    expect(world.stored(idOf('find')).absent_since).toBe(world.now);
    expectConsistent(world);
  });

  it('does nothing for a call whose step was taken since the index was written', async () => {
    const world = callWorld(all, full);
    world.freezeIndexes();
    world.pass(200);
    for (const { call_id } of all) world.change({ unfinished: undefined }, call_id);
    const before = world.snapshot();
    expect(await world.recover()).toMatchObject({ looked_at: 9, failed: 0 });
    expect(world.snapshot()).toEqual(before);
    const { deps } = world;
    for (const queue of [deps.dialQueue, deps.leadQueue, deps.finishQueue, deps.syncQueue, deps.ticketsQueue])
      expect(queue.sent).toEqual([]);
  });

  it('continues if one call fails, and stops before its time ends', async () => {
    const world = callWorld(all, full);
    world.pass(200);
    world.deps.voice.read = () => Promise.reject(new Error('reset'));
    expect(await world.recover()).toMatchObject({ failed: 1, find: 1, ticket: 1 });
    expect(world.counted).toEqual(['CallNotRecovered']);
    expect(world.logged).toMatchObject([{ call_id: idOf('read') }]);
    world.deps.timeLeftMs = () => 39_999;
    expect(await world.recover()).toMatchObject({ looked_at: 0, complete: false });
  });
});

/** A call whose dial has an unknown outcome, three minutes later, and the answer to its lookup. */
function anUnknownDial(lookup: Lookup, over: Partial<Call> = {}) {
  const world = Object.assign(callWorld([aClaimedCall(over)]), { lookup });
  world.pass(200);
  return world;
}

describe('a dial with an unknown outcome', () => {
  it('is given back after two complete lookups a minute apart, and the call is withdrawn the second time', async () => {
    const world = anUnknownDial({ kind: 'absent' });
    for (const wait of [0, 59]) {
      world.pass(wait);
      await world.recover();
      expect(world.stored()).toEqual(aClaimedCall({ absent_since: secondsAfter(START, 200) }));
    }
    world.pass(1);
    await world.recover();
    const givenBack = aCall({ status: 'dialing', attempts: 1, absences: 1, progress_at: world.now });
    expect(world.stored()).toEqual({ ...givenBack, dial_after: secondsAfter(world.now, 15) });
    expectConsistent(world);
    world.dialing = { kind: 'unknown', reason: 'reset' };
    world.pass(60);
    expect(await world.dialCall()).toBe('unknown: reset');
    for (const wait of [200, 60]) {
      world.pass(wait);
      await world.recover();
    }
    const end = { status: 'failed', ended_reason: 'platform_unreachable', attempts: 2, cost: 0 };
    expect(world.stored()).toMatchObject(end);
    expect(world.stored().absent_since).toBeUndefined();
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expectConsistent(world);
  });

  it('is never given back without a complete lookup', async () => {
    const world = anUnknownDial({ kind: 'unknown', reason: 'reset', isOperatorFault: true }, { absent_since: START });
    await world.recover();
    expect(world.stored()).toEqual(aClaimedCall({ absent_since: START }));
    expect(world.counted).toEqual(['DialOperatorFault']);
  });

  it("ends with the platform's record if the lookup finds it, wherever a worker dies", async () => {
    const begin = () =>
      Object.assign(anUnknownDial({ kind: 'found', platformId: 'p1' }), {
        record: { kind: 'known' as const, message: aReport({ ended_at: '2026-03-02T06:01:20.000Z' }) },
      });
    for await (const [world, cut] of worldThatDies(begin, (each) => each.recover())) {
      await world.recover();
      const end = { cut, status: 'completed', platform_id: 'p1', duration: 20, cost: 1_000 };
      expect({ cut, ...world.stored() }).toMatchObject(end);
      expectConsistent(world);
    }
  });
});

describe('handing over slots', () => {
  const waiting = (minutes: number, over: Partial<Call> = {}) =>
    aCall({ call_id: `call_${minutes}`, dial_by: secondsAfter(START, minutes * 60), ...over });
  const handedOver = async (...[placed, contents, stageSlots = 10]: [...Parameters<typeof callWorld>, number?]) => {
    const world = callWorld(placed, contents);
    world.deps.stageSlots = stageSlots;
    const count = await world.handOver();
    const sent = world.deps.dialQueue.sent.map(({ message }) => message.call_id);
    expect(count).toBe(sent.length);
    return sent;
  };
  const crowd = [50, 20, 40, 10, 30, 60].map((minutes) => waiting(minutes));
  const sorted = [10, 20, 30, 40, 50, 60].map((minutes) => `call_${minutes}`);

  it('sends the calls with the earliest dial_by, two more than the stage has free slots', async () => {
    expect(await handedOver(crowd, {}, 2)).toEqual(sorted.slice(0, 4));
    expect(await handedOver(crowd, { slots: [{ scope: 'stage', live: 1 }] }, 2)).toEqual(sorted.slice(0, 3));
    expect(await handedOver(crowd, { slots: [{ scope: 'stage', live: 2 }] }, 2)).toEqual([]);
    expect(await handedOver(crowd, { slots: [{ scope: 'stage', paused_at: START }] })).toEqual([]);
  });

  it('sends only as many calls of an organization as it has free slots', async () => {
    const others = [15, 25].map((minutes) => waiting(minutes, { org_id: 'org2' }));
    const organizations = [anOrg({ max_live_calls: 3 }), anOrg({ org_id: 'org2', max_live_calls: 1 })];
    const slots = [{ scope: `org#${ORG}`, live: 1 }];
    expect(await handedOver([...crowd, ...others], { organizations, slots })).toEqual([
      'call_10',
      'call_15',
      'call_20',
    ]);
    const suspended = [anOrg({ suspended_at: START }), anOrg({ org_id: 'org2' })];
    expect(await handedOver([...crowd, ...others], { organizations: suspended })).toEqual(['call_15', 'call_25']);
  });

  it('sends no call that is claimed, in its back-off, late, scheduled or ended', async () => {
    const { release, find, finish } = calls as Record<string, Call>;
    const notDue = [
      ...[release, find, finish].map((call, index) => ({ ...(call as Call), call_id: `call_other_${index}` })),
      waiting(10, { dial_after: secondsAfter(START, 1) }),
      waiting(0),
    ];
    expect(await handedOver([...notDue, waiting(20)])).toEqual(['call_20']);
  });
});
