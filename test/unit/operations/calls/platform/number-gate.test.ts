import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import type { DialOutcome } from '../../../../../shared/integrations/voice/voice-platform.ts';
import type { SlotsWork } from '../../../../../shared/messages/call-work.ts';
import { closeOpenGate } from '../../../../../shared/operations/calls/platform/platform-gate.ts';
import { updateOrganization } from '../../../../../shared/operations/organizations/update-organization.ts';
import { aCall } from '../../../support/call.ts';
import { beginStage } from '../../../support/dial-stage.ts';
import { aReport, expectConsistent } from '../../../support/worlds/call-world.ts';
import { anOrg, CREDIT, ORG } from '../../../support/worlds/items.ts';
import { aWorld, START } from '../../../support/worlds/world.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

const CLOSED = 'number-1';
const usedUp = { kind: 'not_dialed', reason: 'a limit', isOperatorFault: true, limit: 'number' } as const;
const A_MINUTE = { closed_until: secondsAfter(START, 60), closings: 1, seconds: 60, isAlarming: false };

/**
 * Ten calls of an organization whose calling number reached its daily limit, and calls of other organizations.
 * @param others their calling numbers, by organization
 */
async function aUsedUpNumber(others: Record<string, string | undefined> = {}, callsOfEach = 1) {
  const orgs = Object.entries(others).map(([org_id, voice_number_id]) =>
    anOrg({ org_id, available: CREDIT, ...(voice_number_id && { voice_number_id }) }),
  );
  const world = await beginStage(10, {
    organizations: [anOrg({ available: CREDIT, voice_number_id: CLOSED }), ...orgs],
  });
  const numbers: (string | undefined)[] = [];
  const state = { refusal: usedUp as DialOutcome | undefined, messages: 0 };
  const { dial } = world.deps.voice;
  world.deps.voice.dial = async (request: Parameters<typeof dial>[0] & { voiceNumberId?: string }) => {
    numbers.push(request.voiceNumberId);
    const isRefused = request.voiceNumberId === CLOSED && state.refusal !== undefined;
    world.dialing = isRefused ? (state.refusal as DialOutcome) : { kind: 'accepted', platformId: 'p' };
    return dial(request);
  };
  const { sendMany } = world.deps.dialQueue;
  world.deps.dialQueue.sendMany = async (messages) => {
    state.messages += messages.length;
    return sendMany(messages);
  };
  for (const { org_id } of orgs) {
    for (let n = 0; n < callsOfEach; n += 1)
      world.putCall(aCall({ call_id: `call_${org_id}_${n}`, org_id, held: 0, dial_by: secondsAfter(START, 7_200) }));
    await world.stores.waitingOrgs.list(org_id, START, START);
  }
  return Object.assign(world, {
    state,
    dialsOf: (number: string | undefined) => numbers.filter((one) => one === number).length,
    rungOf: (org: string) => world.rung.filter(({ call_id }) => world.callOf(call_id).org_id === org).length,
  });
}

describe('a calling number that the platform refuses', () => {
  it('is tried once, and then by one probe at a time, until all its calls are dialed', async () => {
    const world = await aUsedUpNumber();
    await world.run(1_800);
    // The back-off is 15, 30, 60 and then 120 seconds, less up to half of it.
    expect(world.dialsOf(CLOSED)).toBeLessThan(20);
    expect(world.gate()).not.toHaveProperty('closed_until');
    world.state.refusal = undefined;
    await world.run(200);
    expect(world.rungOf(ORG)).toBe(10);
    expectConsistent(world);
  });

  it('delays no call of another number, and its own calls hold no slot while it is closed', async () => {
    const world = await aUsedUpNumber({ org_b: 'number-2' }, 10);
    world.deps.stageSlots = 12;
    await world.run(30);
    expect(world.rungOf('org_b')).toBe(10);
    expect(world.live()).toEqual({ stage: 10, 'org#org_b': 10 });
    expectConsistent(world);
  });

  it('is not tried before the time that the platform names, and uses no dial messages until then', async () => {
    const world = await aUsedUpNumber();
    world.state.refusal = { ...usedUp, retryAfterSeconds: 300 };
    await world.run(3);
    const { messages } = world.state;
    for (let minute = 0; minute < 4; minute += 1) {
      await world.handOver({ org_id: ORG, type: 'call.queued', at: world.now });
      await world.recover();
      await world.run(60);
    }
    expect([world.state.messages, world.dialsOf(CLOSED)]).toEqual([messages, 1]);
    world.state.refusal = undefined;
    await world.run(120);
    expect(world.rungOf(ORG)).toBe(10);
  });

  it('delays no call once an operator has given its organization another number', async () => {
    const world = await aUsedUpNumber();
    world.state.refusal = { ...usedUp, retryAfterSeconds: 900 };
    await world.run(40);
    expect([world.dialsOf(CLOSED), world.rungOf(ORG)]).toEqual([1, 0]);
    const waking = { ...world.deps, handOverSlots: (work: SlotsWork) => world.deps.slotsQueue.send(work) };
    const another = { set: { voice_number_id: 'number-2' } };
    await updateOrganization(waking, { kind: 'operator', name: 'ops' }, { org_id: ORG }, another);
    await world.run(5);
    expect([world.dialsOf(CLOSED), world.rungOf(ORG)]).toEqual([1, 10]);
    expectConsistent(world);
  });

  it('delays no call from another number that its organization got since the dial that it refuses', async () => {
    const world = await aUsedUpNumber();
    const another = { set: { voice_number_id: 'number-2' } };
    const waking = { ...world.deps, handOverSlots: async (work: SlotsWork) => void (await world.handOver(work)) };
    const change = () => updateOrganization(waking, { kind: 'operator', name: 'ops' }, { org_id: ORG }, another);
    world.state.refusal = { ...usedUp, retryAfterSeconds: 900 };
    const { dial } = world.deps.voice;
    world.deps.voice.dial = async (request) => {
      world.deps.voice.dial = dial;
      await change();
      return dial(request);
    };
    await world.run(40);
    expect([world.dialsOf(CLOSED), world.rungOf(ORG)]).toEqual([1, 10]);
    expectConsistent(world);
  });

  it('has a pass for its own calls only, although their organization gets another number at the gate', async () => {
    const world = await aUsedUpNumber();
    world.state.refusal = undefined;
    await world.stores.gate.ofNumber('number-2').close({}, A_MINUTE);
    world.deps.dialRates = { stage: 1, number: 1 };
    await world.stores.gate.takeMoment(CLOSED, world.deps.dialRates, new Date(world.now));
    world.deps.sleep = async () =>
      world.put('organizations', { ...world.find('organizations', { org_id: ORG }), voice_number_id: 'number-2' });
    expect(await world.dialCall('call_0')).toBe('number_changed');
    expect([world.dialsOf('number-2'), world.callOf('call_0').slots]).toEqual([0, undefined]);
  });

  it('is closed by the report of a dial from it, although its organization has another number by then', async () => {
    const world = await aUsedUpNumber();
    world.state.refusal = undefined;
    await world.dialCall('call_0');
    world.put('organizations', { ...world.find('organizations', { org_id: ORG }), voice_number_id: 'number-2' });
    expect(await world.apply(aReport({ outcome: 'not_dialed', refuses_number: true }), 'call_0')).toBe('given_back');
    const closed = world.all('slots').filter(({ closed_until }) => closed_until !== undefined);
    expect(closed.map(({ scope }) => scope)).toEqual([`number#${CLOSED}`]);
    await world.run(5);
    expect([world.dialsOf(CLOSED), world.rungOf(ORG)]).toEqual([1, 10]);
  });

  it('is tried by one probe for all organizations that use it', async () => {
    const world = await aUsedUpNumber({ org_b: CLOSED, org_c: CLOSED }, 5);
    world.deps.stageSlots = 20;
    await world.run(600);
    expect(world.dialsOf(CLOSED)).toBeLessThan(12);
    // An organization that meets the closed number leaves the list until the next probe.
    expect(world.state.messages).toBeLessThan(160);
    world.state.refusal = undefined;
    await world.run(300);
    expect([ORG, 'org_b', 'org_c'].map(world.rungOf)).toEqual([10, 5, 5]);
    expectConsistent(world);
  });

  it('does not block another organization, even if 30 wait for it', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `org_${index}`);
    const world = await aUsedUpNumber({ ...Object.fromEntries(ids.map((id) => [id, CLOSED])), org_z: 'number-2' });
    world.deps.stageSlots = 1;
    await world.run(60);
    expect(world.rungOf('org_z')).toBe(1);
    expectConsistent(world);
  });

  it('is not closed for longer by the late refusal of a dial that began before it was closed', async () => {
    const world = await aUsedUpNumber();
    const { dial } = world.deps.voice;
    world.deps.voice.dial = async (request) => {
      world.deps.voice.dial = dial;
      await world.dialCall('call_1');
      world.pass(1);
      return dial(request);
    };
    await world.dialCall('call_0');
    const until = secondsAfter(START, 15);
    expect(world.find('slots', { scope: `number#${CLOSED}` })).toMatchObject({ closings: 1, closed_until: until });
    expect(world.find('slots', { scope: `org#${ORG}` })).toMatchObject({ parked_until: until });
  });

  it('may be refused in the report of a call', async () => {
    const world = await aUsedUpNumber({ org_b: 'number-2' });
    world.state.refusal = undefined;
    await world.dialCall('call_0');
    expect(await world.apply(aReport({ outcome: 'not_dialed', refuses_number: true }), 'call_0')).toBe('given_back');
    await world.run(5);
    expect([world.dialsOf(CLOSED), world.rungOf('org_b')]).toEqual([1, 1]);
    expectConsistent(world);
  });

  it('may be refused in the report of a call that was reported as ringing', async () => {
    const world = await aUsedUpNumber({ org_b: 'number-2' });
    world.state.refusal = undefined;
    await world.dialCall('call_0');
    await world.apply({ kind: 'progress', platform_id: 'p1', status: 'ringing' }, 'call_0');
    expect(await world.apply(aReport({ outcome: 'not_dialed', refuses_number: true }), 'call_0')).toBe('failed');
    await world.run(5);
    expect([world.dialsOf(CLOSED), world.rungOf('org_b')]).toEqual([1, 1]);
    expectConsistent(world);
  });

  it('is tried ever more rarely while it is refused in the report of each probe', async () => {
    const world = await aUsedUpNumber();
    world.state.refusal = undefined;
    for (const [n, seconds] of [15, 30, 60].entries()) {
      expect(await world.dialCall(`call_${n}`)).toBe('accepted');
      const report = aReport({ outcome: 'not_dialed', refuses_number: true, platform_id: `p${n + 1}` });
      expect(await world.apply(report, `call_${n}`)).toBe('given_back');
      const gate = world.all('slots').find(({ scope }) => scope === `number#${CLOSED}`);
      expect(gate).toMatchObject({ closed_until: secondsAfter(world.now, seconds) });
      world.pass(seconds);
    }
  });

  it('is released to other organizations seconds after the probe that delayed them', async () => {
    const world = await aUsedUpNumber({ org_b: CLOSED });
    world.deps.stageSlots = 20;
    await world.dialCall('call_0');
    world.pass(130);
    world.state.refusal = undefined;
    await world.handOver({ org_id: 'org_b', type: 'call.queued', at: world.now });
    await Promise.all(['call_1', 'call_org_b_0'].map((id) => world.dialCall(id)));
    expect(world.find('slots', { scope: 'org#org_b' })).toMatchObject({ parked_until: secondsAfter(world.now, 5) });
    await world.run(8);
    expect([ORG, 'org_b'].map(world.rungOf)).toEqual([10, 1]);
  });

  it('opens again for an organization although the platform refuses the destinations of another one', async () => {
    const world = await aUsedUpNumber({ org_b: CLOSED });
    await world.run(5);
    expect(world.dialsOf(CLOSED)).toBe(1);
    const { dial } = world.deps.voice;
    world.deps.voice.dial = (request) => {
      const isRefused = world.callOf(request.callId).org_id === ORG;
      world.state.refusal = isRefused ? { ...usedUp, limit: 'destination' } : undefined;
      return dial(request);
    };
    await world.run(40);
    expect(world.rungOf('org_b')).toBe(1);
  });

  it('is awaited with one message, although the answer of the database is lost and the SDK repeats the write', async () => {
    const { stores } = aWorld({ slots: [{ scope: `org#${ORG}` }] }, (send) => async (command) => {
      await send(command);
      return send(command);
    });
    const park = (seconds: number) => stores.waitingOrgs.parkUntil(ORG, secondsAfter(START, seconds));
    expect([await park(60), await park(60), await park(59), await park(61)]).toEqual([true, false, false, true]);
  });

  /** A half-open number, without a message that would wake its organization. @returns the calls with slots */
  const aHalfOpenNumber = async (stageSlots: number) => {
    const world = await aUsedUpNumber();
    await world.run(5);
    world.pass(130);
    world.state.refusal = undefined;
    world.deps.stageSlots = stageSlots;
    world.deps.slotsQueue.due();
    await world.handOver({ org_id: ORG, type: 'call.queued', at: world.now });
    world.deps.slotsQueue.due();
    return { world, reserved: world.deps.dialQueue.due().map(({ call_id }) => call_id) };
  };

  it('gets its probe back from a call that may no longer be dialed, and its next call is dialed at once', async () => {
    const { world, reserved } = await aHalfOpenNumber(1);
    const [callId = ''] = reserved;
    const phone = '+919812300001';
    world.putCall({ ...world.callOf(callId), phone_number: phone });
    world.put('do-not-call', { org_id: ORG, phone, added_at: START });
    await world.dialCall(callId);
    expect(world.callOf(callId).status).toBe('canceled');
    await world.run(3);
    expect(world.rungOf(ORG)).toBe(1);
  });

  it('is free at once after a successful probe, also for a call that waited for the probe', async () => {
    const { world, reserved } = await aHalfOpenNumber(2);
    const results = await Promise.all(reserved.map(world.dialCall));
    expect(results.toSorted()).toEqual(['accepted', 'number_closed']);
    await world.run(3);
    expect(world.rungOf(ORG)).toBe(2);
  });

  it('gets its probe back if the platform refuses the account while the call waits for its moment', async () => {
    const world = await aUsedUpNumber();
    await world.dialCall('call_0');
    world.pass(130);
    world.deps.dialRates = { stage: 1, number: 1 };
    await world.stores.gate.takeMoment(CLOSED, world.deps.dialRates, new Date(world.now));
    const { sleep } = world.deps;
    world.deps.sleep = async (ms) => {
      await closeOpenGate(world.deps, { kind: 'refuses' });
      return sleep(ms);
    };
    expect(await world.dialCall('call_1')).toBe('platform_closed');
    expect(await world.stores.gate.ofNumber(CLOSED).read()).not.toHaveProperty('probe_until');
    world.deps.sleep = sleep;
    world.state.refusal = undefined;
    await world.run(30);
    expect(world.rungOf(ORG)).toBeGreaterThan(0);
  });

  it("rings each phone once, wherever the refused worker or the probe's worker dies", async () => {
    for (const isProbe of [false, true]) {
      const begin = async () => {
        const world = await aUsedUpNumber();
        if (!isProbe) return world;
        await world.dialCall('call_0');
        world.pass(130);
        world.state.refusal = undefined;
        return world;
      };
      for await (const [world, cut] of worldThatDies(begin, (each) => each.dialCall('call_1'))) {
        world.state.refusal = undefined;
        // The call of a worker that died after its dial stays claimed.
        world.lookup = { kind: 'unknown', reason: 'status 503' };
        for (let minutes = 0; minutes < 20; minutes += 5) {
          await world.run(300);
          await world.recover();
        }
        const phones = new Set(world.rung.map(({ call_id }) => call_id)).size;
        expect([cut, world.rung.length]).toEqual([cut, phones]);
        expect([cut, world.calls().filter(({ unfinished }) => unfinished === 'waiting').length]).toEqual([cut, 0]);
      }
    }
  });
});
