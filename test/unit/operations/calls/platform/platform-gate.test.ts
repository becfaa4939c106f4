import { secondsAfter, secondsBetween } from '../../../../../shared/domain/time/instants.ts';
import type { DialOutcome } from '../../../../../shared/integrations/voice/voice-platform.ts';
import { aCall, aReservedCall } from '../../../support/call.ts';
import { beginStage as begin } from '../../../support/dial-stage.ts';
import { aReport, expectConsistent } from '../../../support/worlds/call-world.ts';
import { anOrg, CREDIT, ORG } from '../../../support/worlds/items.ts';
import { aWorld, START } from '../../../support/worlds/world.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';
import { worldThatRepeats } from '../../../support/worlds/world-that-repeats.ts';

const refused: DialOutcome = { kind: 'not_dialed', reason: 'status 429', isOperatorFault: false, limit: 'account' };
const unreachable: DialOutcome = { kind: 'not_dialed', reason: 'ECONNREFUSED', isOperatorFault: false };
const failed: DialOutcome = { kind: 'unknown', reason: 'status 503' };
const accepted: DialOutcome = { kind: 'accepted', platformId: 'p1' };
const numberId = 'number-1';

describe('a platform that refuses the account', () => {
  it('gets one request, and then one probe at a time, however many calls wait, until all are dialed', async () => {
    const world = await begin(10);
    world.dialing = refused;
    await world.run(1_800);
    // The back-off is 15, 30, 60 and then 120 seconds.
    expect(world.dialed.length).toBeLessThan(20);
    expect(world.rung).toEqual([]);
    world.dialing = accepted;
    await world.run(180);
    expect(world.rung).toHaveLength(10);
    expect(world.gate()).not.toHaveProperty('closed_until');
    expectConsistent(world);
  });

  it('gets no request before the time that it names', async () => {
    const world = await begin(3);
    world.dialing = { ...refused, retryAfterSeconds: 300 };
    await world.run(299);
    expect(world.dialed).toEqual([START]);
    world.dialing = accepted;
    await world.run(10);
    expect(world.rung).toHaveLength(3);
    expectConsistent(world);
  });

  it('gets a request after that time even if the SDK repeats a write of the worker that closes the gate', async () => {
    const begin3 = async () => {
      const world = await begin(3);
      world.dialing = { ...refused, retryAfterSeconds: 300 };
      return world;
    };
    for await (const [world, repeated] of worldThatRepeats(begin3, (each) => each.dialCall('call_0'))) {
      world.dialing = accepted;
      await world.run(310);
      expect([repeated, world.rung.length]).toEqual([repeated, 3]);
    }
  });

  it('keeps no worker waiting for the moment of a dial that it would refuse', async () => {
    const world = await begin(3);
    world.deps.dialRates = { stage: 1, number: 1 };
    world.dialing = refused;
    await world.dialCall('call_0');
    for (const id of ['call_1', 'call_2']) expect(await world.dialCall(id)).toBe('platform_closed');
    expect(world.now).toBe(START);
  });

  it('rings an alarm if it still refuses after a minute', async () => {
    const world = await begin(3);
    world.dialing = refused;
    await world.run(40);
    expect(world.counted).not.toContain('PlatformGateClosed');
    await world.run(60);
    expect(world.counted).toContain('PlatformGateClosed');
  });

  it('gets no other call after it has accepted one as queued', async () => {
    const world = await begin(3);
    world.dialing = { kind: 'accepted', platformId: 'p', isQueued: true };
    await world.run(10);
    expect(world.dialed).toHaveLength(1);
  });

  it('may refuse the account in its report of a call', async () => {
    for (const refuses_account of [true, undefined]) {
      const world = await begin(3);
      await world.dialCall('call_0');
      const report = aReport({ outcome: 'not_dialed', ...(refuses_account && { refuses_account }) });
      expect(await world.apply(report, 'call_0')).toBe('given_back');
      await world.run(5);
      expect(world.dialed).toHaveLength(refuses_account ? 1 : 3);
      expectConsistent(world);
    }
  });

  it('gets the calls of other organizations at once while it refuses the destinations of one of them', async () => {
    const world = await begin(20, { organizations: [anOrg(), anOrg({ org_id: 'org_b' })] });
    const refused = { kind: 'not_dialed', reason: '403', isOperatorFault: true, limit: 'destination' } as const;
    const { dial } = world.deps.voice;
    world.deps.voice.dial = (request) => {
      const isRefused = world.callOf(request.callId).org_id === ORG;
      world.dialing = isRefused ? refused : { kind: 'accepted', platformId: 'p' };
      return dial(request);
    };
    await world.run(20);
    expect(world.dialed.length).toBeGreaterThanOrEqual(5);
    for (const n of [1, 2, 3]) world.putCall(aCall({ call_id: `call_b_${n}`, org_id: 'org_b', held: 0 }));
    await world.handOver({ org_id: 'org_b', type: 'call.queued', at: world.now });
    await world.run(5);
    expect(world.rung).toHaveLength(3);
    expect(world.counted).not.toContain('PlatformGateClosed');
  });

  it.each<DialOutcome>([
    { kind: 'not_dialed', reason: 'status 403', isOperatorFault: true, limit: 'destination' },
    { kind: 'not_dialed', reason: 'status 404', isOperatorFault: true, limit: 'number' },
    { kind: 'refused', reason: 'status 422' },
  ])(
    'gets requests ever more rarely, and rings an alarm, while it refuses other calls for themselves: %j',
    async (own) => {
      const orgs = [anOrg({ voice_number_id: numberId }), anOrg({ org_id: 'org_b', available: CREDIT })];
      const world = await begin(3, { organizations: orgs });
      const { dial } = world.deps.voice;
      let isEmpty = true;
      let refusals = 0;
      world.deps.voice.dial = (request) => {
        const isOfB = world.callOf(request.callId).org_id === 'org_b';
        if (isOfB && isEmpty) refusals += 1;
        world.dialing = !isOfB ? own : isEmpty ? refused : accepted;
        return dial(request);
      };
      const place = async (org_id: string, call_id: string) => {
        const dial_by = secondsAfter(world.now, 7_200);
        world.putCall(aCall({ call_id, org_id, held: 0, dial_by, dial_after: world.now }));
        await world.handOver({ org_id, type: 'call.queued', at: world.now });
      };
      for (const n of [1, 2, 3]) await place('org_b', `call_b_${n}`);
      for (let n = 0; n < 180; n += 1) {
        await place(ORG, `call_own_${n}`);
        await world.run(10);
      }
      // The back-off is 15, 30, 60 and then 120 seconds.
      expect(refusals).toBeLessThan(20);
      expect(world.counted).toContain('PlatformGateClosed');
      isEmpty = false;
      await world.run(180);
      expect(world.rung).toHaveLength(3);
      expect(world.gate()).not.toHaveProperty('closed_until');
      expectConsistent(world);
    },
  );

  it('gets requests ever more rarely, and rings an alarm, if it accepts each probe and then reports a refusal', async () => {
    const world = await begin(7);
    const reported = async (n: number) => {
      expect(await world.dialCall(`call_${n}`)).toBe('accepted');
      const report = aReport({ outcome: 'not_dialed', refuses_account: true, platform_id: `p${n + 1}` });
      expect(await world.apply(report, `call_${n}`)).toBe('given_back');
      return secondsBetween(world.now, new Date(String(world.gate()?.closed_until)));
    };
    for (const [n, seconds] of [15, 30, 60].entries()) {
      expect(await reported(n)).toBe(seconds);
      expect(world.counted.filter((name) => name === 'PlatformGateClosed')).toHaveLength(n < 2 ? 0 : 1);
      world.pass(seconds);
    }
    await world.dialCall('call_3');
    world.pass(119);
    expect(await reported(4)).toBe(120);
    world.pass(120);
    await world.dialCall('call_5');
    world.pass(120);
    expect(await reported(6)).toBe(15);
    expectConsistent(world);
  });

  it('causes the shortest wait again after it has really accepted a probe', async () => {
    const world = await begin(3);
    for (const n of [0, 1]) {
      world.dialing = refused;
      await world.dialCall(`call_${n}`);
      expect(world.gate()).toMatchObject({ closings: 1, closed_until: secondsAfter(world.now, 15) });
      world.pass(15);
      world.dialing = accepted;
      await world.dialCall('call_2');
    }
  });

  it('does not close the gate by a limit of one calling number or by refusing one call', async () => {
    for (const [outcome, dials] of [
      [{ ...refused, limit: 'number' as const }, 1],
      [{ kind: 'refused' as const, reason: 'status 404' }, 10],
    ] as const) {
      const world = await begin(10);
      world.dialing = outcome;
      await world.run(5);
      expect(world.dialed).toHaveLength(dials);
      expect(world.gate()).not.toHaveProperty('closed_until');
    }
  });
});

describe('a platform that fails', () => {
  it.each([unreachable, failed])(
    'gets no requests after half of five dials in two minutes failed: %j',
    async (outcome) => {
      const world = await begin(9);
      const { dial } = world.deps.voice;
      world.deps.voice.dial = async (request) => {
        world.dialing = world.dialed.length % 2 === 0 ? outcome : accepted;
        return dial(request);
      };
      await world.run(1);
      expect(world.dialed).toHaveLength(5);
      expect(world.counted).toEqual(['PlatformGateClosed']);
      expectConsistent(world);
    },
  );

  it('still gets requests after fewer failures, or failures further apart', async () => {
    const world = await begin(9);
    const { dial } = world.deps.voice;
    world.deps.voice.dial = async (request) => {
      world.dialing = world.dialed.length % 3 === 0 ? failed : accepted;
      return dial(request);
    };
    await world.run(1);
    expect([world.dialed.length, world.gate()?.closed_until]).toEqual([9, undefined]);

    const slow = await begin(9);
    slow.dialing = failed;
    for (let n = 0; n < 9; n += 1) {
      await slow.dialCall(`call_${n}`);
      slow.pass(31);
    }
    expect(slow.dialed).toHaveLength(9);
  });
});

describe('a probe', () => {
  /** A gate that a refusal has closed, at the end of its time. */
  const aHalfOpenGate = async () => {
    const world = await begin(4);
    world.dialing = refused;
    await world.dialCall('call_0');
    world.pass(20);
    world.dialing = accepted;
    return world;
  };

  it('is one call, even if many workers have a call', async () => {
    const world = await aHalfOpenGate();
    const ids = ['call_1', 'call_2', 'call_3'];
    const results = await Promise.all(ids.map((id) => world.dialCall(id)));
    expect(results.toSorted()).toEqual(['accepted', 'platform_closed', 'platform_closed']);
    await world.run(20);
    expect(world.rung).toHaveLength(4);
    expectConsistent(world);
  });

  it('closes the gate again for longer if it fails', async () => {
    const world = await aHalfOpenGate();
    world.dialing = failed;
    await world.dialCall('call_1');
    expect(world.gate()).toMatchObject({ closings: 2, closed_until: secondsAfter(world.now, 30) });
    expect(world.counted).toContain('PlatformGateClosed');
  });

  it('is taken although the answer of the database is lost and the SDK repeats the write, and by one worker', async () => {
    const { stores } = aWorld({ slots: [{ scope: 'platform', closed_until: START }] }, (send) => async (command) => {
      await send(command);
      return send(command);
    });
    const gate = await stores.gate.read();
    const takers = await Promise.all([1, 2].map(() => stores.gate.takeProbe(gate, secondsAfter(START, 60))));
    expect(takers.toSorted()).toEqual([false, true]);
    await stores.gate.giveBackProbe(secondsAfter(START, 60));
    expect(await stores.gate.takeProbe(gate, secondsAfter(START, 61))).toBe(true);
  });

  it.each([
    ['opens the gate if it succeeds', accepted],
    ['closes the gate again if it is refused', refused],
    ['closes the gate with an alarm if it fails', failed],
    ['is given back if its call may no longer be dialed', undefined],
  ])('%s, and wakes the hand-over, whichever write the SDK repeats', async (_what, outcome) => {
    const begin = async () => {
      const world = await aHalfOpenGate();
      if (outcome) world.dialing = outcome;
      else world.put('do-not-call', { org_id: ORG, phone: world.callOf('call_1').phone_number, added_at: START });
      return world;
    };
    const resultOf = (world: Awaited<ReturnType<typeof begin>>) => {
      const { changed_by: _, ...gate } = world.gate() ?? {};
      return [gate, world.counted, world.deps.slotsQueue.sent];
    };
    const undisturbed = await begin();
    await undisturbed.dialCall('call_1');
    for await (const [world, repeated] of worldThatRepeats(begin, (each) => each.dialCall('call_1')))
      expect([repeated, ...resultOf(world)]).toEqual([repeated, ...resultOf(undisturbed)]);
  });

  it('that may no longer be dialed lets another call be the probe at once', async () => {
    const world = await aHalfOpenGate();
    const phone = '+919812300001';
    world.putCall({ ...world.callOf('call_1'), phone_number: phone });
    world.put('do-not-call', { org_id: ORG, phone, added_at: START });
    world.deps.slotsQueue.due();
    world.deps.dialQueue.due();
    await world.dialCall('call_1');
    expect(world.callOf('call_1').status).toBe('canceled');
    await world.run(3);
    expect(world.gate()).not.toHaveProperty('closed_until');
  });

  it('whose worker dies while it dials is followed by another one after a minute, by its own message', async () => {
    const world = await aHalfOpenGate();
    const { dial } = world.deps.voice;
    world.deps.voice.dial = async () => {
      throw new Error('the worker dies');
    };
    world.deps.slotsQueue.due();
    await expect(world.dialCall('call_1')).rejects.toThrow('the worker dies');
    world.deps.voice.dial = dial;
    await world.run(60);
    expect(world.rung).toEqual([]);
    await world.run(3);
    expect(world.gate()).not.toHaveProperty('closed_until');
  });

  it('may be lost with its worker: a minute later another call is the probe', async () => {
    for await (const [world, cut] of worldThatDies(aHalfOpenGate, (each) => each.dialCall('call_1'))) {
      await world.run(70);
      // recover-calls hands over if the message of the dead worker is lost, too.
      await world.handOver();
      await world.run(70);
      expect([cut, world.gate()?.closed_until]).toEqual([cut, undefined]);
      expect(new Set(world.rung.map(({ call_id }) => call_id)).size).toBe(world.rung.length);
    }
  });
});

describe('the rate of dials', () => {
  it.each([
    [{ stage: 5, number: 1 }, 9],
    [{ stage: 2, number: 100 }, 4.5],
  ])('is limited for the stage and for each calling number: %j', async (dialRates, seconds) => {
    const world = await begin(10, { org: { voice_number_id: numberId } });
    Object.assign(world.deps, { dialRates });
    for (let n = 0; n < 10; n += 1) await world.dialCall(`call_${n}`);
    expect(world.dialed.at(-1)).toBe(secondsAfter(START, seconds));
    expect(new Set(world.dialed).size).toBe(10);
  });

  it('delays a dial by 12 seconds at most, and refuses it if a gate closes meanwhile', async () => {
    const world = await begin(3, { org: { voice_number_id: numberId } });
    world.deps.dialRates = { stage: 100, number: 1 };
    const { sleep, gate } = world.deps;
    for (let n = 0; n < 20; n += 1) await gate.takeMoment(numberId, world.deps.dialRates, new Date(world.now));
    await world.dialCall('call_0');
    expect(world.dialed).toEqual([secondsAfter(START, 12)]);
    for (const [n, scope] of ['platform', `number#${numberId}`].entries()) {
      world.deps.sleep = async (ms) => {
        world.put('slots', { ...world.find('slots', { scope }), scope, closed_until: secondsAfter(world.now, 60) });
        return sleep(ms);
      };
      const result = n === 0 ? 'platform_closed' : 'number_closed';
      expect(await world.dialCall(`call_${n + 1}`)).toBe(result);
      world.put('slots', { scope });
      await gate.takeMoment(numberId, { stage: 1, number: 0.1 }, new Date(world.now));
    }
    expect(world.dialed).toHaveLength(1);
  });

  it('of one number delays no other', async () => {
    const other = anOrg({ org_id: 'org_other', voice_number_id: 'number-2', available: CREDIT });
    const world = await begin(1, { org: { voice_number_id: numberId } });
    world.put('organizations', other);
    world.putCall(aReservedCall({ call_id: 'call_other', org_id: other.org_id, held: 0 }));
    world.deps.dialRates = { stage: 100, number: 1 };
    await world.dialCall('call_0');
    await world.dialCall('call_other');
    expect(world.dialed).toEqual([START, secondsAfter(START, 0.01)]);
  });
});
