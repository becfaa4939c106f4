import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { PlatformMessage } from '../../../../shared/domain/calls/platform-message.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { ReadOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import { aClaimedCall, aReservedCall } from '../../support/call.ts';
import { aReport, CALL, callWorld, expectConsistent } from '../../support/call-world.ts';
import { START } from '../../support/world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const { started_at: _, transcript: __, ...unanswered } = aReport({ outcome: 'canceled', reason: 'manually-canceled' });
const progress = (status: 'dialing' | 'ringing'): PlatformMessage => ({ kind: 'progress', platform_id: 'p1', status });
const queued: ReadOutcome = { kind: 'known', message: progress('dialing') };

/** A world in which the messages of the dial queue are handled for some time, minute by minute. */
function aQueueWorld(call: Call) {
  const world = callWorld([call]);
  return Object.assign(world, {
    runQueue: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (const work of world.deps.dialQueue.due()) await world.doDialWork(work);
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

  it('is ended there at its dial_by, not earlier, and then is late like any other', async () => {
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
  ])('is left alone if it %s at its dial_by', async (_name, record) => {
    const world = await begin();
    world.record = record;
    await world.runQueue(45);
    expect(world.hungUp).toEqual([]);
    expect(world.stored()).not.toHaveProperty('cancel_asked_at');
  });

  it('is left alone once it has rung', async () => {
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

describe('a hang-up at the platform', () => {
  it('is repeated with back-off while the platform cannot be asked, and given up after a quarter of an hour', async () => {
    const world = aQueueWorld(aClaimedCall({ platform_id: 'p1', dial_claimed_at: START }));
    const at: number[] = [];
    world.deps.voice.hangUp = async () => {
      at.push(world.ms);
      throw new Error('down');
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
    expectConsistent(world);
  });

  it('follows a message that shows a second live call', async () => {
    const world = aQueueWorld(aClaimedCall({ platform_id: 'p7' }));
    await world.apply(progress('ringing'));
    await world.runQueue(1);
    expect([world.hungUp, world.counted]).toEqual([['p1'], ['DoubleDial']]);
    expect(world.stored()).toMatchObject({ platform_id: 'p7', status: 'dialing' });
  });

  it.each(['lost', 'ended_by_operator', 'platform_unreachable'])(
    'follows a message that shows a live call that ended as %s',
    async (ended_reason) => {
      for (const platform_id of [undefined, 'p1']) {
        const world = aQueueWorld(aClaimedCall({ status: 'failed', unfinished: 'ended', ended_reason, platform_id }));
        expect(await world.apply(progress('ringing'))).toBe('hang_up');
        await world.runQueue(1);
        expect([world.hungUp, world.counted]).toEqual([['p1'], []]);
      }
    },
  );

  it('follows no late message of a call that the platform has ended', async () => {
    const world = aQueueWorld(
      aClaimedCall({ status: 'busy', unfinished: 'ended', ended_reason: 'busy', platform_id: 'p1' }),
    );
    expect(await world.apply(progress('ringing'))).toBe('ended');
    expect(world.deps.dialQueue.sent).toEqual([]);
  });

  it('follows the acceptance of a dial whose call the service has ended meanwhile', async () => {
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
