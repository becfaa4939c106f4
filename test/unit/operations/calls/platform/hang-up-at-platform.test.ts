import type { Call } from '../../../../../shared/domain/calls/call.ts';
import type { PlatformMessage } from '../../../../../shared/domain/calls/platform/platform-message.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import type { DialOutcome, ReadOutcome } from '../../../../../shared/integrations/voice/voice-platform.ts';
import { aCalledLead, aClaimedCall, aReservedCall } from '../../../support/call.ts';
import { aReport, CALL, callWorld, expectConsistent } from '../../../support/worlds/call-world.ts';
import { ORG } from '../../../support/worlds/items.ts';
import { START } from '../../../support/worlds/world.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';
import { worldThatRepeats } from '../../../support/worlds/world-that-repeats.ts';

const { started_at: _, transcript: __, ...unanswered } = aReport({ outcome: 'canceled', reason: 'manually-canceled' });
const progress = (status: 'dialing' | 'ringing'): PlatformMessage => ({ kind: 'progress', platform_id: 'p1', status });
const queued: ReadOutcome = { kind: 'known', message: progress('dialing') };

/** A world in which the messages of the dial queue are processed for some time, minute by minute. */
function aQueueWorld(call: Call) {
  const world = callWorld([call]);
  return Object.assign(world, {
    runQueue: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (const work of world.deps.dialQueue.due()) await world.doWork(work);
        world.pass(60);
      }
    },
  });
}

describe('a call that the platform has queued', () => {
  const begin = async (over: Partial<Call> = {}) => {
    const world = aQueueWorld(aReservedCall({ dial_by: secondsAfter(START, 40 * 60), ...over }));
    world.dialing = { kind: 'accepted', platformId: 'p1', isQueued: true };
    world.record = queued;
    expect(await world.dialCall()).toBe('queued_at_platform');
    return world;
  };

  it('is ended there at its dial_by, not earlier, and is then late like any other call', async () => {
    const world = await begin();
    await world.runQueue(40);
    expect(world.hungUp).toEqual([]);
    await world.runQueue(1);
    expect(world.hungUp).toEqual(['p1']);
    expect(await world.apply(unanswered)).toBe('given_back');
    expectConsistent(world);
    world.pass(120);
    expect(await world.dialCall()).toBe('expired');
    expect(world.rung).toHaveLength(1);
    expectConsistent(world);
  });

  it.each<[string, ReadOutcome]>([
    ['rings', { kind: 'known', message: progress('ringing') }],
    ['is over', { kind: 'known', message: unanswered }],
    ['is unknown', { kind: 'not_found' }],
    ['cannot be read', { kind: 'unknown', reason: 'status 500' }],
  ])('is not ended if it %s at its dial_by', async (_name, record) => {
    const world = await begin();
    world.record = record;
    await world.runQueue(45);
    expect(world.hungUp).toEqual([]);
    expect(world.stored()).not.toHaveProperty('cancel_asked_at');
  });

  it('is ended when the platform answers again, if it does not answer at the dial_by', async () => {
    const world = await begin();
    world.record = { kind: 'unknown', reason: 'status 500' };
    await world.runQueue(42);
    world.record = queued;
    await world.runQueue(2);
    expect(world.hungUp).toEqual(['p1']);
  });

  it('is looked up a few times if the platform does not answer, and then left to recover-calls', async () => {
    const world = await begin();
    let reads = 0;
    world.deps.voice.read = async () => {
      reads += 1;
      return { kind: 'unknown', reason: 'status 500' };
    };
    await world.runQueue(90);
    expect([reads, world.deps.dialQueue.sent]).toEqual([7, []]);
  });

  it('is ended at its dial_by although the platform did not say that it is queued, if that is minutes away', async () => {
    const world = aQueueWorld(aReservedCall({ dial_by: secondsAfter(START, 9 * 60) }));
    world.record = queued;
    expect(await world.dialCall()).toBe('accepted');
    await world.runQueue(9);
    expect(world.hungUp).toEqual([]);
    await world.runQueue(1);
    expect(world.hungUp).toEqual(['p1']);
  });

  it('is not ended in the first seconds after its dial, in which every call is queued', async () => {
    const world = aQueueWorld(aReservedCall({ dial_by: secondsAfter(START, 1) }));
    world.record = queued;
    expect(await world.dialCall()).toBe('accepted');
    world.pass(29);
    expect(world.deps.dialQueue.due()).toEqual([]);
    world.pass(1);
    await world.runQueue(1);
    expect(world.hungUp).toEqual(['p1']);
  });

  it('is recorded as accepted, in the call and at the gate, before the message that ends it at its dial_by is sent', async () => {
    const world = aQueueWorld(aReservedCall({ dial_by: secondsAfter(START, 9 * 60) }));
    world.deps.dialQueue.send = async () => {
      throw new Error('the queue does not answer');
    };
    await expect(world.dialCall(CALL)).rejects.toThrow('the queue does not answer');
    expect(world.stored()).toMatchObject({ status: 'dialing', platform_id: 'p1' });
    expect(await world.deps.gate.read()).toMatchObject({ dials: 1 });
  });

  it.each([
    ['knows', true],
    ['learns', false],
  ])(
    'is ended by recover-calls, which %s that it is queued, if its number was put on the do-not-call list',
    async (...row) => {
      const [, isQueued] = row;
      const world = aQueueWorld(aReservedCall({ dial_by: secondsAfter(START, 40 * 60) }));
      world.dialing = { kind: 'accepted', platformId: 'p1', ...(isQueued && { isQueued }) };
      world.record = queued;
      await world.dialCall();
      world.pass(300);
      await world.recover();
      expect(world.hungUp).toEqual([]);
      world.put('do-not-call', { org_id: ORG, phone: world.stored().phone_number, added_at: world.now });
      await world.recover();
      expect(world.hungUp).toEqual(['p1']);
      expect(await world.apply(unanswered)).toBe('given_back');
      world.pass(60);
      await world.handOver({ org_id: ORG });
      expect(await world.dialCall()).toBe('do_not_call');
      expect(world.stored()).toMatchObject({ status: 'canceled', ended_reason: 'do_not_call' });
      expectConsistent(world);
    },
  );

  const organization = (world: Awaited<ReturnType<typeof begin>>) => world.find('organizations', { org_id: ORG }) ?? {};
  const suspended = { suspended_at: START };
  const elsewhere = { default_region: 'US', countries: [] };

  it.each([
    ['its organization was suspended', suspended, 'queued_at_platform'],
    ['its country was switched off', elsewhere, 'destination_not_allowed'],
  ])('is ended by recover-calls if %s after its dial', async (_name, change, result) => {
    const world = await begin();
    world.pass(60);
    world.put('organizations', { ...organization(world), ...change });
    world.pass(240);
    await world.recover();
    expect(world.hungUp).toEqual(['p1']);
    expect(await world.apply(unanswered)).toBe('given_back');
    world.pass(60);
    const { suspended_at, ...resumed } = organization(world);
    world.put('organizations', resumed);
    await world.handOver({ org_id: ORG });
    expect(await world.dialCall()).toBe(result);
    expectConsistent(world);
  });

  it('is not ended by recover-calls if it rings, although its number was put on the do-not-call list', async () => {
    const world = await begin();
    world.put('do-not-call', { org_id: ORG, phone: world.stored().phone_number, added_at: world.now });
    world.record = { kind: 'known', message: progress('ringing') };
    world.pass(300);
    await world.recover();
    expect([world.hungUp, world.stored().status]).toEqual([[], 'ringing']);
  });

  describe('without saying so, is ended at its dial_by by a message', () => {
    const begin = async () => {
      const world = aQueueWorld(aReservedCall({ dial_by: secondsAfter(START, 40 * 60) }));
      world.record = queued;
      expect(await world.dialCall()).toBe('accepted');
      world.pass(5 * 60);
      return world;
    };
    const hungUp = async (world: Awaited<ReturnType<typeof begin>>, minutes: number) => {
      await world.runQueue(minutes);
      return new Set(world.hungUp);
    };

    it('even if the answer to a write of recover-calls is lost, and the SDK repeats it', async () => {
      for await (const [world, repeated] of worldThatRepeats(begin, (each) => each.recover()))
        expect([repeated, await hungUp(world, 36)]).toEqual([repeated, new Set(['p1'])]);
    });

    it('even if recover-calls dies', async () => {
      for await (const [world, cut] of worldThatDies(begin, (each) => each.recover())) {
        world.pass(5 * 60);
        await world.recover();
        expect([cut, await hungUp(world, 31)]).toEqual([cut, new Set(['p1'])]);
      }
    });
  });

  it('needs no message if the platform has time to dial it before recover-calls reads it', async () => {
    const world = aQueueWorld(aReservedCall({ dial_by: secondsAfter(START, 15 * 60) }));
    expect(await world.dialCall()).toBe('accepted');
    expect(world.deps.dialQueue.sent).toEqual([]);
  });

  it('is not ended once it has rung', async () => {
    const world = await begin();
    await world.apply(progress('ringing'));
    await world.runQueue(45);
    expect(world.hungUp).toEqual([]);
  });

  it('is ended by recover-calls if the message is lost, wherever a worker dies', async () => {
    const late = async () => {
      const world = await begin();
      world.deps.dialQueue.sent.splice(0);
      world.pass(41 * 60);
      return world;
    };
    for await (const [world, cut] of worldThatDies(late, (each) => each.recover())) {
      await world.recover();
      expect([cut, world.hungUp.length]).toEqual([cut, expect.any(Number)]);
      expect([cut, world.hungUp.at(-1)]).toEqual([cut, 'p1']);
      expect([cut, await world.apply(unanswered)]).toEqual([cut, 'given_back']);
      expectConsistent(world);
    }
  });
});

describe('a lead that the platform has queued for 100 minutes', () => {
  const MINUTES = 100;
  const aQueuedLead = async (outcome: DialOutcome = { kind: 'accepted', platformId: 'p1', isQueued: true }) => {
    const lead = aCalledLead({ crm: 'crm-a' });
    const dial_by = secondsAfter(START, MINUTES * 60);
    const world = aQueueWorld(aReservedCall({ dial_by, lead, claims_day: '2026-03-02' }));
    world.record = queued;
    world.dialing = outcome;
    await world.dialCall();
    world.deps.dialQueue.sent.splice(0);
    return world;
  };
  const recoverFor = async (world: Awaited<ReturnType<typeof aQueuedLead>>, minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 5) {
      world.pass(5 * 60);
      await world.recover();
    }
  };

  it.each<[string, DialOutcome]>([
    ['said so when it accepted it', { kind: 'accepted', platformId: 'p1', isQueued: true }],
    ['did not say so', { kind: 'accepted', platformId: 'p1' }],
    ['did not answer', { kind: 'unknown', reason: 'reset' }],
  ])('is not lost, is ended at its dial_by, and is expired in Activity if the platform %s', async (_how, dialed) => {
    const world = await aQueuedLead(dialed);
    world.lookup = { kind: 'found', platformId: 'p1', others: [] };
    await recoverFor(world, MINUTES - 5);
    expect([world.stored().status, world.hungUp]).toEqual(['dialing', []]);
    await recoverFor(world, 5);
    expect(world.hungUp).toEqual(['p1']);
    expect(await world.apply(unanswered)).toBe('given_back');
    await recoverFor(world, 5);
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'expired' });
    expect(world.outcomes()).toEqual(['evt_1.dial dial: expired']);
    expect(world.counted).not.toContain('CallLost');
    expectConsistent(world);
  });

  it('is ended at its dial_by even if the lookup finds it at the platform only then', async () => {
    const world = await aQueuedLead({ kind: 'unknown', reason: 'reset' });
    world.lookup = { kind: 'found', platformId: 'p1', others: [] };
    world.pass(MINUTES * 60);
    await world.recover();
    expect([world.hungUp, world.stored().platform_id]).toEqual([['p1'], 'p1']);
    expect(await world.apply(unanswered)).toBe('given_back');
    expectConsistent(world);
  });

  it('is lost an hour after its dial_by, not earlier, if its record cannot be read', async () => {
    const world = await aQueuedLead();
    world.record = { kind: 'unknown', reason: 'status 500' };
    await recoverFor(world, MINUTES + 55);
    expect(world.stored().status).toBe('dialing');
    await recoverFor(world, 5);
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost' });
    expectConsistent(world);
  });

  it('is not hung up during its conversation if it rings after 90 minutes', async () => {
    const world = await aQueuedLead();
    await recoverFor(world, 90);
    await world.apply(progress('ringing'));
    world.record = { kind: 'known', message: { kind: 'progress', platform_id: 'p1', status: 'in_progress' } };
    await recoverFor(world, 60);
    expect([world.stored().status, world.hungUp]).toEqual(['in_progress', []]);
    await recoverFor(world, 15);
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost' });
  });

  it('gets its deadlines from its next attempt once it is given back', async () => {
    const world = await aQueuedLead();
    await recoverFor(world, 5);
    await world.apply({ ...unanswered, outcome: 'not_dialed' });
    expect(world.stored()).not.toHaveProperty('queued_at_platform');
  });
});

describe('a hang-up at the platform', () => {
  it('is repeated with back-off while the platform does not answer, and given up after a quarter of an hour', async () => {
    const world = aQueueWorld(aClaimedCall({ platform_id: 'p1', dial_claimed_at: START }));
    const at: number[] = [];
    world.deps.voice.hangUp = async () => {
      at.push(world.ms);
      // One case has no answer, the other no key of the platform.
      if (at.length % 2 === 0) throw new Error('no secret');
      return { kind: 'unreachable', reason: 'down' };
    };
    world.record = { kind: 'unknown', reason: 'status 500' };
    world.pass(600 + 3_600);
    await world.recover();
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost' });
    await world.runQueue(60);
    expect(at).toHaveLength(7);
    const minutes = ((at.at(-1) as number) - (at[0] as number)) / 60_000;
    expect([minutes > 15, minutes < 21]).toEqual([true, true]);
    expect(world.deps.dialQueue.sent).toEqual([]);
    expect(world.counted).toEqual(['CallLost', 'DialOperatorFault']);
    expectConsistent(world);
  });

  it('is counted at once if the platform offers no way to do it, and repeated until it does', async () => {
    const world = aQueueWorld(aClaimedCall({ platform_id: 'p1', dial_claimed_at: START }));
    world.hangingUp = { kind: 'no_way' };
    world.pass(600 + 3_600);
    await world.recover();
    await world.runQueue(1);
    expect(world.counted).toEqual(['CallLost', 'DialOperatorFault']);
    await world.runQueue(1);
    world.hangingUp = { kind: 'hung_up' };
    await world.runQueue(20);
    expect(world.hungUp).toEqual(['p1', 'p1', 'p1']);
    expect([world.deps.dialQueue.sent, world.counted]).toEqual([[], ['CallLost', 'DialOperatorFault']]);
  });

  it.each(['hung_up', 'not_live'] as const)('of a call that is %s is neither repeated nor counted', async (kind) => {
    const world = aQueueWorld(aClaimedCall({ platform_id: 'p1', dial_claimed_at: START }));
    world.hangingUp = { kind };
    world.pass(600 + 3_600);
    await world.recover();
    await world.runQueue(1);
    expect(world.hungUp).toEqual(['p1']);
    expect([world.deps.dialQueue.sent, world.counted]).toEqual([[], ['CallLost']]);
  });

  it('follows a message that reveals a second live call', async () => {
    const world = aQueueWorld(aClaimedCall({ platform_id: 'p7' }));
    await world.apply(progress('ringing'));
    await world.runQueue(1);
    expect([world.hungUp, world.counted]).toEqual([['p1'], ['DoubleDial']]);
    expect(world.stored()).toMatchObject({ platform_id: 'p7', status: 'dialing' });
  });

  it.each(['lost', 'ended_by_operator', 'platform_unreachable'])(
    'follows a message that reveals a live call that ended as %s',
    async (ended_reason) => {
      for (const platform_id of [undefined, 'p1']) {
        const world = aQueueWorld(aClaimedCall({ status: 'failed', unfinished: 'ended', ended_reason, platform_id }));
        expect(await world.apply(progress('ringing'))).toBe('hang_up');
        await world.runQueue(1);
        expect([world.hungUp, world.counted]).toEqual([['p1'], []]);
      }
    },
  );

  it('does not follow a late message of a call that the platform has ended', async () => {
    const world = aQueueWorld(
      aClaimedCall({ status: 'busy', unfinished: 'ended', ended_reason: 'busy', platform_id: 'p1' }),
    );
    expect(await world.apply(progress('ringing'))).toBe('ended');
    expect(world.deps.dialQueue.sent).toEqual([]);
  });

  it('follows the acceptance of a dial if the service ended the call in between', async () => {
    const world = callWorld();
    const { dial } = world.deps.voice;
    world.deps.voice.dial = async (request) => {
      world.beforeNextWrite(() =>
        world.change({ status: 'failed', ended_reason: 'ended_by_operator', unfinished: 'ended' }),
      );
      return dial(request);
    };
    await world.dialCall(CALL);
    expect([world.hungUp, world.counted]).toEqual([['p1'], []]);
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'ended_by_operator' });
  });
});
