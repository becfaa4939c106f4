import type { Call } from '../../../../shared/domain/calls/call.ts';
import { settlementEntry } from '../../../../shared/domain/organizations/ledger-entry.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aCall, aCalledLead, aClaimedCall, aReservedCall } from '../../support/call.ts';
import { aReport, CALL, callWorld, expectConsistent, type Lookup } from '../../support/worlds/call-world.ts';
import { anOrg, CREDIT, MONDAY, ORG } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const ended = (over: Partial<Call> = {}) =>
  aCall({ status: 'completed', unfinished: 'ended', finished_at: START, ...over });
const calls: Record<string, Call> = {
  release: aCall({ status: 'scheduled', unfinished: 'scheduled', scheduled_for: START, held: 0, lead: aCalledLead() }),
  expire: aCall({ dial_by: secondsAfter(START, 60) }),
  give_back: aReservedCall(),
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

/** Runs recover-calls every 5 minutes. @returns how many messages finish-call gets, which takes none */
async function finishMessagesIn(world: ReturnType<typeof callWorld>, minutes: number): Promise<number> {
  const before = world.deps.finishQueue.sent.length;
  for (let passed = 0; passed < minutes; passed += 5) {
    world.pass(300);
    await world.recover();
  }
  return world.deps.finishQueue.sent.length - before;
}

describe('recover-calls', () => {
  it('repeats the lost step of every unfinished call', async () => {
    const world = callWorld(all, full);
    world.pass(200);
    const steps = Object.fromEntries(Object.keys(calls).map((step) => [step, 1]));
    expect(await world.recover()).toMatchObject({ complete: true, failed: 0, handed_over: 0, ...steps });
    const { deps } = world;
    const queues = { finish: deps.finishQueue, sync: deps.syncQueue, ticket: deps.ticketsQueue };
    for (const [step, { sent }] of Object.entries(queues))
      expect([step, sent.map(({ message }) => message)]).toEqual([step, [{ call_id: idOf(step) }]]);
    expect(world.notified).toEqual([idOf('notify')]);
    expect(deps.leadQueue.sent).toMatchObject([{ message: { source: 'release', scheduled_for: START } }]);
    expect(world.stored(idOf('expire'))).toMatchObject({ status: 'failed', ended_reason: 'expired' });
    expect(world.stored(idOf('find')).absent_since).toBe(world.now);
    expectConsistent(world);
  });

  it('measures held lines and credit only while calls hold any, because each hour of a metric costs money', async () => {
    const idle = callWorld([ended()], full);
    await idle.recover();
    expect(idle.measured).toEqual([]);
    const busy = callWorld([aClaimedCall()], full);
    await busy.recover();
    expect(busy.measured.map(({ name }) => name)).toEqual(['SlotsHeld', 'CreditHeld']);
  });

  it('begins with the calls that hold slots, the live ones first', async () => {
    const world = callWorld(all, full);
    const order = new Set<unknown>();
    world.hooks.before = (operation, { ExpressionAttributeValues: values }) => {
      const work = operation === 'Query' && (values as Record<string, unknown> | undefined)?.[':work'];
      if (work) order.add(work);
    };
    await world.recover();
    expect([...order]).toEqual(['claimed', 'reserved', 'waiting', 'scheduled', 'ended']);
  });

  it('sends an ended call that no worker finishes with growing intervals, an hour at most', async () => {
    const world = callWorld([calls.finish as Call], full);
    const sentIn = (minutes: number) => finishMessagesIn(world, minutes);
    expect(await sentIn(5)).toBe(1);
    const first = await sentIn(60);
    expect(first).toBeGreaterThanOrEqual(3);
    expect(first).toBeLessThanOrEqual(4);
    await sentIn(120);
    expect(await sentIn(6 * 60)).toBe(6);
    await world.stores.calls.finish(aCall().call_id, world.now);
    expect(world.stored().finish_sent_at).toBeUndefined();
  });

  it('sends a late analysis that no worker tries with growing intervals, and each try again', async () => {
    const due = { finished_at: START, analysis_callback: 'pending' as const, analysis_after: START };
    const world = callWorld([{ ...(calls.finish as Call), ended_at: START, ...due }], full);
    const sentIn = (minutes: number) => finishMessagesIn(world, minutes);
    expect(await sentIn(5)).toBe(1);
    expect(await sentIn(55)).toBe(3);
    await sentIn(120);
    expect(await sentIn(6 * 60)).toBe(6);
    world.change({ analysis_after: world.now });
    expect(await sentIn(5)).toBe(1);
  });

  it('measures once that a call was not finished within 15 minutes, even if no worker finishes any call', async () => {
    const world = callWorld([{ ...(calls.finish as Call), ended_at: START }], full);
    const late = () => world.measured.filter(({ name }) => name === 'FinishedInTime').map(({ value }) => value);
    for (let minutes = 0; minutes < 15; minutes += 5) {
      await world.recover();
      world.pass(300);
    }
    expect(late()).toEqual([]);
    for (let minutes = 0; minutes < 300; minutes += 5) {
      await world.recover();
      world.pass(300);
    }
    expect(late()).toEqual([0]);
  });

  it('does not repeat a step that was taken since the index was written', async () => {
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
    const taken = world.logged.flatMap(({ step, call_id }) => (step === undefined ? [] : [[step, call_id]]));
    expect(taken).toEqual(
      expect.arrayContaining([
        ['find', idOf('find')],
        ['ticket', idOf('ticket')],
      ]),
    );
    expect(world.logged.filter(({ step }) => step === undefined)).toMatchObject([{ call_id: idOf('read') }]);
    world.deps.timeLeftMs = () => 39_999;
    expect(await world.recover()).toMatchObject({ looked_at: 0, complete: false });
  });

  it('continues with the other kinds of work if one of them cannot be read', async () => {
    const world = callWorld(all, full);
    world.pass(200);
    world.hooks.before = (operation, { ExpressionAttributeValues: values }) => {
      if (operation === 'Query' && (values as Record<string, unknown> | undefined)?.[':work'] === 'claimed')
        throw new Error('throttled');
    };
    // The counters of slots cannot be compared without the claimed calls either.
    expect(await world.recover()).toMatchObject({
      failed: 2,
      complete: false,
      give_back: 1,
      expire: 1,
      release: 1,
      finish: 1,
    });
    expect(world.counted).toEqual(['CallNotRecovered', 'CallNotRecovered']);
  });

  it('hands over slots even if a call that holds one cannot be read', async () => {
    const world = callWorld([aCall({ call_id: 'call_waits' }), aClaimedCall({ platform_id: 'p1' })]);
    world.put('calls', { ...world.find('calls', { call_id: CALL }), attempts: 'unreadable' });
    expect(await world.recover()).toMatchObject({ failed: 0, handed_over: 1 });
    expect(world.stored('call_waits').reserved_at).toBe(world.now);
  });

  it('hands over a slot even if another organization cannot be put on the list of waiting ones', async () => {
    const ofBad = aCall({ call_id: 'call_bad', org_id: 'org_bad', dial_by: secondsAfter(START, 300) });
    const world = callWorld([ofBad, aCall({ call_id: 'call_waits' })]);
    world.put('organizations', anOrg({ org_id: 'org_bad' }));
    world.hooks.before = (operation, { TableName, Key }) => {
      if (operation === 'Update' && TableName === 'slots' && (Key as { scope: string }).scope === 'org#org_bad')
        throw new Error('throttled');
    };
    expect(await world.recover()).toMatchObject({ looked_at: 2, failed: 1, handed_over: 1, complete: true });
    expect(world.stored('call_waits').reserved_at).toBe(world.now);
    expect(world.stored('call_bad').reserved_at).toBeUndefined();
    expect(world.counted).toEqual(['CallNotRecovered']);
    delete world.hooks.before;
    expect(await world.recover()).toMatchObject({ failed: 0, handed_over: 1 });
    expect(world.stored('call_bad').reserved_at).toBe(world.now);
  });

  it('gives each kind of work its share of the time, and continues where the last run stopped', async () => {
    const crowd = Array.from({ length: 12 }, (_, index) => ({ ...aClaimedCall(), call_id: `call_${index}` }));
    const world = callWorld([...crowd, { ...(calls.finish as Call), call_id: 'call_ended' }], full);
    world.pass(200);
    const looked: string[] = [];
    let sentInFirstRun = 0;
    world.deps.lookup.find = async (callId: string) => {
      looked.push(callId);
      world.pass(20);
      return { kind: 'unknown', reason: 'slow' };
    };
    for (let run = 0; run < 4; run += 1) {
      const started = world.ms;
      world.deps.timeLeftMs = () => 240_000 - (world.ms - started);
      await world.recover();
      if (run === 0) sentInFirstRun = world.deps.finishQueue.sent.length;
      world.pass(60);
    }
    expect(sentInFirstRun).toBe(1);
    expect(new Set(looked).size).toBe(12);
  });

  it('also examines the calls before the point where the last run stopped, after the later ones', async () => {
    const crowd = Array.from({ length: 5 }, (_, index) =>
      aClaimedCall({ call_id: `call_${index}`, dial_by: secondsAfter(START, 900 + index) }),
    );
    const world = callWorld(crowd, full);
    world.pass(200);
    await world.stores.cursors.put('claimed', { call_id: 'call_2', dial_by: secondsAfter(START, 902) });
    expect(await world.recover()).toMatchObject({ looked_at: 5, find: 5, complete: true });
    const found = world.logged.flatMap(({ step, call_id }) => (step === 'find' ? [call_id] : []));
    expect(found.slice(0, 2).sort()).toEqual(['call_3', 'call_4']);
    expect(found.slice(2).sort()).toEqual(['call_0', 'call_1', 'call_2']);
    expect(await world.stores.cursors.get('claimed')).toBeUndefined();
  });

  it('takes each step once, even if it returns to the kinds whose share was too short', async () => {
    const crowd = Array.from({ length: 12 }, (_, index) => ({ ...aClaimedCall(), call_id: `call_${index}` }));
    const world = callWorld(crowd, full);
    world.pass(200);
    const looked: string[] = [];
    world.deps.lookup.find = async (callId: string) => {
      looked.push(callId);
      world.pass(8);
      return { kind: 'unknown', reason: 'slow' };
    };
    const started = world.ms;
    world.deps.timeLeftMs = () => 240_000 - (world.ms - started);
    expect(await world.recover()).toMatchObject({ looked_at: 12, find: 12, complete: true });
    expect(looked.sort()).toEqual(crowd.map(({ call_id }) => call_id).sort());
  });

  it('notices unusual spend even if its other work needs more time than it has', async () => {
    const crowd = Array.from({ length: 30 }, (_, index) => ({ ...calls.finish, call_id: `call_${index}` }) as Call);
    const world = callWorld(crowd, full);
    world.put('usage', { org_id: ORG, day: `${MONDAY}#1`, completed: 9, units: 200_000 });
    world.put('credit-ledger', settlementEntry({ org_id: ORG, call_id: CALL }, { held: 0, cost: 200_000 }, START));
    world.pass(200);
    const { send } = world.deps.finishQueue;
    world.deps.finishQueue.send = async (...message) => {
      world.pass(20);
      return send(...message);
    };
    const started = world.ms;
    world.deps.timeLeftMs = () => 240_000 - (world.ms - started);
    expect(await world.recover()).toMatchObject({ complete: false });
    expect(world.counted).toEqual(['UnusualSpend']);
  });
});

describe('the slot counters', () => {
  const leaks: [string, number][] = [
    ['counts calls that hold no slot', 3],
    ['misses calls that hold a slot', -1],
  ];
  it.each(leaks)('are corrected in the second run that finds the same difference: one %s', async (_what, by) => {
    const world = callWorld([aClaimedCall({ platform_id: 'p1', progress_at: secondsAfter(START, 10_000) })]);
    world.put('slots', { scope: 'stage', live: 1 + by });
    // An organization whose calls wait, although none of them holds a slot.
    world.putCall(aCall({ call_id: 'call_waits', org_id: 'org_waits', held: 0 }));
    world.put('slots', { scope: 'org#org_waits', live: 2 });
    expect(await world.recover()).toMatchObject({ corrected_slots: 0 });
    expect(world.live().stage ?? 0).toBe(1 + by);
    expect(await world.recover()).toMatchObject({ corrected_slots: Math.abs(by) + 2 });
    expectConsistent(world);
    expect(world.counted).toEqual(['SlotsCorrected']);
    expect(await world.recover()).toMatchObject({ corrected_slots: 0 });
  });

  it('are corrected even if a call that holds a slot cannot be read', async () => {
    const world = callWorld([aClaimedCall({ platform_id: 'p1', progress_at: secondsAfter(START, 10_000) })]);
    world.put('calls', { ...world.find('calls', { call_id: CALL }), attempts: 'unreadable' });
    world.put('slots', { scope: 'stage', live: 3 });
    for (const corrected_slots of [0, 2]) expect(await world.recover()).toMatchObject({ corrected_slots, failed: 0 });
    expect(world.live().stage).toBe(1);
  });

  it('are not corrected while calls take and give back slots between the runs', async () => {
    const world = callWorld([aClaimedCall({ platform_id: 'p1', progress_at: secondsAfter(START, 10_000) })]);
    for (const live of [2, 0, 2, 0]) {
      world.put('slots', { ...world.all('slots').find(({ scope }) => scope === 'stage'), live });
      expect(await world.recover()).toMatchObject({ corrected_slots: 0 });
    }
    expect(world.counted).toEqual([]);
  });

  it('are not corrected if every run sees a call take a slot between its reads', async () => {
    const world = callWorld([aClaimedCall({ platform_id: 'p1', progress_at: secondsAfter(START, 10_000) })]);
    let taken = 0;
    world.hooks.before = (operation, { RequestItems }) => {
      if (operation !== 'BatchGet' || !Object.hasOwn(RequestItems as object, 'slots')) return;
      taken += 1;
      world.putCall(aReservedCall({ call_id: `call_${taken}`, progress_at: secondsAfter(START, 10_000) }));
      for (const counter of world.all('slots').filter(({ live }) => live !== undefined))
        world.put('slots', { ...counter, live: Number(counter.live) + 1, moves: Number(counter.moves ?? 0) + 1 });
    };
    for (let run = 0; run < 3; run += 1) expect(await world.recover()).toMatchObject({ corrected_slots: 0 });
    expect(taken).toBeGreaterThan(3);
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
    await world.handOver({ org_id: ORG });
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
      Object.assign(anUnknownDial({ kind: 'found', platformId: 'p1', others: [] }), {
        record: { kind: 'known' as const, message: aReport({ ended_at: '2026-03-02T06:01:20.000Z' }) },
      });
    for await (const [world, cut] of worldThatDies(begin, (each) => each.recover())) {
      await world.recover();
      const end = { cut, status: 'completed', platform_id: 'p1', duration: 20, cost: 1_000 };
      expect({ cut, ...world.stored() }).toMatchObject(end);
      expectConsistent(world);
    }
  });

  it('that is found, but ends as lost, leaves its id for an erasure', async () => {
    const world = anUnknownDial({ kind: 'found', platformId: 'p1', others: [] });
    world.record = { kind: 'unknown', reason: 'status 500' };
    world.pass(3 * 3_600);
    await world.recover();
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost' });
    for (const work of world.deps.dialQueue.due()) await world.doWork(work);
    expect([world.hungUp, world.stored().second_platform_ids]).toEqual([['p1'], new Set(['p1'])]);
  });

  it('follows one of two calls at the platform and hangs up the other, wherever a worker dies', async () => {
    const running = { kind: 'progress', platform_id: 'p1', status: 'in_progress' } as const;
    const begin = () =>
      Object.assign(anUnknownDial({ kind: 'found', platformId: 'p1', others: ['p2', 'p3'] }), {
        record: { kind: 'known' as const, message: running },
      });
    for await (const [world, cut] of worldThatDies(begin, (each) => each.recover())) {
      await world.recover();
      expect({ cut, ...world.stored() }).toMatchObject({ cut, status: 'in_progress', platform_id: 'p1' });
      expect([cut, world.stored().second_platform_ids]).toEqual([cut, new Set(['p2', 'p3'])]);
      expect([cut, world.hungUp]).toEqual([cut, []]);
      world.pass(60);
      for (const work of world.deps.dialQueue.due()) await world.doWork(work);
      expect([cut, [...new Set(world.hungUp)].sort()]).toEqual([cut, ['p2', 'p3']]);
      expect([cut, world.counted]).toEqual([cut, expect.arrayContaining(['DoubleDial'])]);
      expectConsistent(world);
    }
  });
});
