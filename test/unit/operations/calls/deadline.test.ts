import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { ReadOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import { forceEndCall } from '../../../../shared/operations/calls/force-end-call.ts';
import { aCall, aClaimedCall } from '../../support/call.ts';
import { callWorld, expectConsistent, type Lookup } from '../../support/call-world.ts';
import { CREDIT } from '../../support/items.ts';
import { START } from '../../support/world.ts';

const RAVI = { kind: 'operator', name: 'ravi' } as const;
const RECOVERY_SECONDS = 5 * 60;
const running = { kind: 'progress', platform_id: 'p', status: 'in_progress' } as const;
const down = { kind: 'unknown', reason: 'status 500' } as const;

type Platform = {
  lookup?: Lookup;
  record?: ReadOutcome;
  hangUp?: (id: string) => Promise<boolean>;
  /** Our own request fails, for example without the platform's key. */
  cannotAsk?: true;
};

/** A dialed call, and a platform that gives the same answers forever. */
function aDialedCall({ hangUp, cannotAsk, ...answers }: Platform, over: Partial<Call> = {}) {
  const world = Object.assign(callWorld([aClaimedCall({ dial_claimed_at: START, ...over })]), answers);
  const { voice } = world.deps;
  const answer = voice.hangUp;
  voice.hangUp = async (id) => {
    await answer(id);
    return hangUp ? hangUp(id) : false;
  };
  if (cannotAsk) {
    voice.read = () => Promise.reject(new Error('no secret'));
    world.deps.lookup.find = () => Promise.reject(new Error('no secret'));
  }
  return Object.assign(world, { forceEnd: () => forceEndCall(world.deps, RAVI, world.stored().call_id) });
}
const cannotHangUp = () => Promise.reject(new Error('down'));
const unreadable: Platform = { record: down, hangUp: cannotHangUp };

describe('a call', () => {
  it.each<[string, Platform, Partial<Call>]>([
    [
      'whose record says in-progress forever',
      { record: { kind: 'known', message: running }, hangUp: async () => true },
      { platform_id: 'p' },
    ],
    ['whose record cannot be read, and that cannot be hung up', unreadable, { platform_id: 'p' }],
    ['that the platform forgot', { record: { kind: 'not_found' } }, { platform_id: 'p' }],
    ['whose dial was never answered, while no lookup completes', { lookup: down }, {}],
    [
      'that cannot be asked for, because the key is gone',
      { cannotAsk: true, hangUp: cannotHangUp },
      { platform_id: 'p' },
    ],
    ['that cannot be looked up, because the key is gone', { cannotAsk: true }, {}],
  ])('%s ends as lost by its deadline, and no earlier', async (_name, platform, over) => {
    const world = aDialedCall(platform, over);
    const deadline = world.stored().max_duration_seconds + 3_600;
    for (let seconds = 0; seconds < deadline - RECOVERY_SECONDS; seconds += RECOVERY_SECONDS) {
      world.pass(RECOVERY_SECONDS);
      await world.recover();
    }
    expect(Object.values(world.live())).toEqual([1, 1]);
    expect(world.counted).not.toContain('CallLost');

    world.pass(RECOVERY_SECONDS);
    for (const _run of ['ends the call', 'has no effect']) {
      await world.recover();
      expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost', cost: 0, duration: 0 });
      expect(world.hungUp).toEqual(over.platform_id ? ['p'] : []);
      expect(world.live()).toEqual({});
      expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
      expect(world.counted.filter((name) => name === 'CallLost')).toHaveLength(1);
      expectConsistent(world);
    }
  });
});

describe('ten calls whose records never end, on six slots', () => {
  it('all give their slots back by their deadlines: each rings once, and the books balance', async () => {
    const waiting = Array.from({ length: 10 }, (_, index) => aCall({ call_id: `call_${index}` }));
    const world = Object.assign(callWorld(waiting), { record: { kind: 'known' as const, message: running } });
    world.deps.stageSlots = 6;
    for (let seconds = 0; seconds < 3 * 4_200; seconds += RECOVERY_SECONDS) {
      await world.recover();
      for (const { call_id } of world.deps.dialQueue.due()) {
        world.dialing = { kind: 'accepted', platformId: `p_${call_id}` };
        await world.dialCall(call_id);
      }
      expect(world.live().stage ?? 0).toBeLessThanOrEqual(6);
      world.pass(RECOVERY_SECONDS);
    }
    expect(world.live()).toEqual({});
    const ids = world.rung.map(({ call_id }) => call_id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { status, ended_reason } of world.calls()) {
      expect(status).toBe('failed');
      expect(['lost', 'expired']).toContain(ended_reason);
    }
    expectConsistent(world);
  });
});

describe('an operator', () => {
  it('ends a dialed call at once, though the platform is down', async () => {
    const world = aDialedCall(unreadable, { platform_id: 'p' });
    expect(await world.forceEnd()).toEqual({ kind: 'ended', hungUp: false });
    expect(world.hungUp).toEqual(['p']);
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'ended_by_operator', cost: 0 });
    expect([world.credit(), world.counted]).toEqual([{ available: CREDIT, held: 0 }, []]);
    expect(await world.forceEnd()).toEqual({ kind: 'already_ended' });
    expectConsistent(world);
  });

  it('cannot end a call whose dial request may still be on its way', async () => {
    const world = aDialedCall(unreadable, { platform_id: undefined });
    world.change({ progress_at: world.now });
    expect(await world.forceEnd()).toEqual({ kind: 'dial_under_way' });
    world.pass(180);
    expect(await world.forceEnd()).toEqual({ kind: 'ended', hungUp: false });
    expect(world.hungUp).toEqual([]);
    expectConsistent(world);
  });

  it('cannot end a call that was not dialed or does not exist in this way', async () => {
    for (const status of ['queued', 'scheduled'] as const) {
      const world = callWorld([aCall({ status, scheduled_for: START })]);
      expect(await forceEndCall(world.deps, RAVI, world.stored().call_id)).toEqual({ kind: 'not_dialed' });
    }
    expect(await forceEndCall(callWorld([]).deps, RAVI, aCall().call_id)).toEqual({ kind: 'call_not_found' });
  });
});
