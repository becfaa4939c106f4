import type { Call } from '../../../../shared/domain/calls/call.ts';
import { viewCall } from '../../../../shared/domain/calls/call-view.ts';
import { callIdForLead } from '../../../../shared/domain/ids.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { HangUpOutcome, ReadOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import { forceEndCall } from '../../../../shared/operations/calls/force-end-call.ts';
import { aCall, aCalledLead, aClaimedCall, aReservedCall } from '../../support/call.ts';
import { aReport, callWorld, expectConsistent, type Lookup } from '../../support/worlds/call-world.ts';
import { CREDIT, MONDAY, ORG } from '../../support/worlds/items.ts';
import { CONNECTION, HOLD } from '../../support/worlds/lead-world.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const RAVI = { kind: 'operator', name: 'ravi' } as const;
const RECOVERY_SECONDS = 5 * 60;
const running = { kind: 'progress', platform_id: 'p', status: 'in_progress' } as const;
const down = { kind: 'unknown', reason: 'status 500' } as const;

type Platform = {
  lookup?: Lookup;
  record?: ReadOutcome;
  hangUp?: (id: string) => Promise<HangUpOutcome>;
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
    return hangUp ? hangUp(id) : { kind: 'not_live' };
  };
  if (cannotAsk) {
    voice.read = () => Promise.reject(new Error('no secret'));
    world.deps.lookup.find = () => Promise.reject(new Error('no secret'));
  }
  return Object.assign(world, { forceEnd: () => forceEndCall(world.deps, RAVI, world.stored().call_id) });
}
/** A lead's call that was given back as absent, and then postponed to an opening in a quarter of an hour. */
const aPostponedCall = (): Call => {
  const opens = secondsAfter(START, 900);
  return aCall({
    call_id: callIdForLead(CONNECTION, 'evt_1'),
    org_id: ORG,
    status: 'scheduled',
    unfinished: 'scheduled',
    scheduled_for: opens,
    dial_after: opens,
    dial_by: secondsAfter(opens, 7_200),
    held: 0,
    holds: 0,
    attempts: 1,
    absences: 1,
    claims_day: MONDAY,
    lead: aCalledLead({ window: { start: '09:00', end: '21:00', exclude_sunday: false } }),
  });
};

const cannotHangUp = async (): Promise<HangUpOutcome> => ({ kind: 'unreachable', reason: 'down' });
const unreadable: Platform = { record: down, hangUp: cannotHangUp };

describe('a call', () => {
  it.each<[string, Platform, Partial<Call>]>([
    [
      'whose record says in-progress forever',
      { record: { kind: 'known', message: running }, hangUp: async () => ({ kind: 'hung_up' }) },
      { platform_id: 'p' },
    ],
    ['whose record cannot be read, and that cannot be hung up', unreadable, { platform_id: 'p' }],
    ['that the platform lost', { record: { kind: 'not_found' } }, { platform_id: 'p' }],
    ['whose dial was never answered, while no lookup completes', { lookup: down }, {}],
    ['that cannot be read, because the key is gone', { cannotAsk: true, hangUp: cannotHangUp }, { platform_id: 'p' }],
    ['that cannot be looked up, because the key is gone', { cannotAsk: true }, {}],
  ])('%s ends as lost by its deadline, but no earlier', async (_name, platform, over) => {
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
      // The run waits for no hang-up, so that many such calls end in time.
      expect(world.hungUp).toEqual([]);
      expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost', cost: 0, duration: 0 });
      expect(world.live()).toEqual({});
      expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
      expect(world.counted.filter((name) => name === 'CallLost')).toHaveLength(1);
      expectConsistent(world);
    }
    for (const work of world.deps.dialQueue.due()) await world.doWork(work);
    expect(world.hungUp).toEqual(over.platform_id ? ['p'] : []);
  });

  it.each<[string, Platform, Partial<Call>]>([
    ['that is live', { record: { kind: 'known', message: { ...running, platform_id: 'p1' } } }, { platform_id: 'p1' }],
    ['that a lookup finds', { lookup: { kind: 'found', platformId: 'p1', others: [] }, record: down }, {}],
  ])(
    '%s at its deadline is hung up at the platform, wherever the worker that ends it dies',
    async (_which, answers, over) => {
      const begin = () => {
        const world = aDialedCall(answers, over);
        world.pass(world.stored().max_duration_seconds + 3_600);
        return world;
      };
      for await (const [world, cut] of worldThatDies(begin, (each) => each.recover())) {
        await world.recover();
        expect({ cut, ...world.stored() }).toMatchObject({ cut, status: 'failed', ended_reason: 'lost' });
        for (const work of world.deps.dialQueue.due()) await world.doWork(work);
        expect([cut, [...new Set(world.hungUp)]]).toEqual([cut, ['p1']]);
        expectConsistent(world);
      }
    },
  );
});

describe("a lead's call at its deadline", () => {
  const ended = async (status: Call['status']) => {
    const lead = { lead: aCalledLead(), claims_day: MONDAY };
    const world = aDialedCall({ record: { kind: 'not_found' } }, { platform_id: 'p', status, ...lead });
    world.pass(world.stored().max_duration_seconds + 3_600);
    await world.recover();
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost' });
    return world;
  };

  it('adds to Activity that its phone may have rung, and cannot be retried', async () => {
    const world = await ended('dialing');
    const [entry, ...others] = world.all('activity');
    expect(entry).toMatchObject({ event_id: 'evt_1.dial', source: 'dial', outcome: 'lost' });
    expect([entry?.retryable, others, world.counted]).toEqual([undefined, [], ['CallLost']]);
  });

  it('adds nothing if its phone rang, because Activity already says that it was called', async () => {
    const world = await ended('ringing');
    expect([world.all('activity'), world.counted]).toEqual([[], ['CallLost']]);
  });
});

describe('a call that the platform reported as answered and hung up, but not as ended', () => {
  const reported = {
    rang_at: secondsAfter(START, 10),
    answered_at: secondsAfter(START, 20),
    hung_up_at: secondsAfter(START, 110),
  };
  /** A lead's call after a postponement, which released its first hold. It holds credit again from its dial on. */
  const ofLead = { lead: aCalledLead({ test: true }), claims_day: MONDAY, held: 0, holds: 1 };

  /** Dials the call, applies the messages about it, and ends it at its deadline. */
  const ended = async (record: ReadOutcome, over: Partial<Call> = {}) => {
    const world = Object.assign(callWorld([aReservedCall(over)]), { record });
    expect(await world.dialCall()).toBe('accepted');
    const of = { platform_id: 'p1' } as const;
    await world.apply({ kind: 'progress', ...of, status: 'ringing', at: reported.rang_at });
    await world.apply({ kind: 'progress', ...of, status: 'in_progress', at: reported.answered_at });
    await world.apply({ kind: 'hung_up', ...of, at: reported.hung_up_at, reason: 'customer-ended-call' });
    expect(world.stored()).toMatchObject({ status: 'in_progress', ...reported });
    expect(world.credit()).toEqual({ available: CREDIT - HOLD, held: HOLD });
    world.pass(world.stored().max_duration_seconds + 3_600);
    await world.recover();
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost' });
    return world;
  };

  describe.each<[string, Partial<Call>, string]>([
    ['a client', {}, '1'],
    ['a lead', ofLead, '2'],
  ])('and that was placed for %s', (_whom, over, hold) => {
    it.each<[string, ReadOutcome]>([
      ['does not know it', { kind: 'not_found' }],
      ['says in-progress forever', { kind: 'known', message: { ...running, platform_id: 'p1' } }],
      ['does not show its record', down],
    ])('costs nothing and gives back its whole hold if the platform %s', async (_name, record) => {
      const world = await ended(record, over);
      expect(world.stored()).toMatchObject({ cost: 0, duration: 0 });
      expect(world.stored()).not.toHaveProperty('beyond_hold');
      expect(world.ledger().map(({ entry, amount, held }) => [...entry.split('#').slice(2), amount, held])).toEqual([
        ['hold', hold, 0, HOLD],
        ['release', hold, 0, -HOLD],
      ]);
      expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
      expect(world.counted).toEqual(['CallLost']);
      expectConsistent(world);
    });
  });

  it('stores the times of the messages, and shows no time for which the client could be charged', async () => {
    const world = await ended({ kind: 'not_found' });
    expect(world.stored()).toMatchObject({ ...reported, ended_at: world.now });
    expect(world.stored()).not.toHaveProperty('started_at');
    expect(viewCall(world.stored())).toMatchObject({ started_at: null, ended_at: world.now, duration: 0, cost: 0 });
  });

  it('is not charged by a report that arrives after its deadline', async () => {
    const world = await ended({ kind: 'not_found' });
    const lost = world.stored();
    expect(await world.apply(aReport())).toBe('ended');
    expect(world.stored()).toEqual(lost);
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expectConsistent(world);
  });
});

describe('a postponed call whose attempt, given back as absent, is reported late', () => {
  const hungUp = { kind: 'hung_up', platform_id: 'p1', at: START, reason: 'customer-busy' } as const;

  it('ends by the report after its hang-up, and is not dialed again', async () => {
    const world = callWorld([aPostponedCall()]);
    const [{ call_id } = aCall()] = world.calls();
    const message = world.releaseMessage();
    await world.apply(hungUp, call_id);
    world.now = message.scheduled_for as string;
    expect(await world.release(message)).toBe('not_scheduled');
    expect(await world.dialCall(call_id)).toBe('not_waiting');
    await world.apply(aReport({ outcome: 'busy', started_at: undefined }), call_id);
    expect([world.stored(call_id), world.rung]).toMatchObject([{ status: 'busy', cost: 0 }, []]);
    expectConsistent(world);
  });

  it('ends as lost if the report never arrives', async () => {
    const world = callWorld([aPostponedCall()]);
    const [{ call_id } = aCall()] = world.calls();
    const message = world.releaseMessage();
    await world.apply(hungUp, call_id);
    world.now = message.scheduled_for as string;
    await world.release(message);
    world.pass(2 * 3_600);
    await world.recover();
    expect([world.stored(call_id), world.rung]).toMatchObject([{ status: 'failed', ended_reason: 'lost' }, []]);
    expectConsistent(world);
  });
});

describe('ten calls whose records never end, on six slots', () => {
  /** @param waitSeconds how long each call may wait for its dial */
  const begin = (waitSeconds: number) => {
    const dial_by = secondsAfter(START, waitSeconds);
    const waiting = Array.from({ length: 10 }, (_, index) => aCall({ call_id: `call_${index}`, dial_by }));
    const world = callWorld(waiting);
    world.deps.stageSlots = 6;
    world.deps.voice.read = async (platform_id) => ({ kind: 'known', message: { ...running, platform_id } });
    const dialedMs: number[] = [];
    const run = async () => {
      await world.recover();
      for (const { call_id, hang_up } of world.deps.dialQueue.due()) {
        if (hang_up) continue;
        world.dialing = { kind: 'accepted', platformId: `p_${call_id}` };
        expect(await world.dialCall(call_id)).toBe('accepted');
        dialedMs.push(world.ms);
      }
      expect(world.live().stage ?? 0).toBeLessThanOrEqual(6);
      world.pass(RECOVERY_SECONDS);
    };
    /** Runs recover-calls until one run after the deadline of the last dial. */
    const runAll = async () => {
      const untilMs = () => {
        const lastDeadline = Math.max(...dialedMs) + (600 + 3_600) * 1000;
        return dialedMs.length === 10 ? lastDeadline : Math.max(lastDeadline, Date.parse(dial_by));
      };
      do await run();
      while (world.ms <= untilMs() + RECOVERY_SECONDS * 1000);
    };
    return Object.assign(world, {
      runAll,
      idsOf: (calls: { call_id: string }[]) => calls.map(({ call_id }) => call_id),
    });
  };

  it('all ring once and end as lost by the deadline of the last dial, if they may wait for three hours', async () => {
    const world = begin(3 * 3_600);
    await world.runAll();
    expect(world.live()).toEqual({});
    expect(world.idsOf(world.rung).sort()).toEqual(world.idsOf(world.calls()).sort());
    expect(world.rung).toHaveLength(10);
    for (const call of world.calls()) expect(call).toMatchObject({ status: 'failed', ended_reason: 'lost', cost: 0 });
    expect(world.counted).toEqual(Array.from({ length: 10 }, () => 'CallLost'));
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expectConsistent(world);
  });

  it('ring once or expire, and give their slots back, if they may wait for a quarter of an hour', async () => {
    const world = begin(900);
    await world.runAll();
    expect(world.live()).toEqual({});
    const lost = world.calls().filter(({ ended_reason }) => ended_reason === 'lost');
    expect(world.idsOf(world.rung).sort()).toEqual(world.idsOf(lost).sort());
    expect([lost.length, world.calls().filter(({ ended_reason }) => ended_reason === 'expired').length]).toEqual([
      6, 4,
    ]);
    expectConsistent(world);
  });
});

describe('an operator', () => {
  it('ends a dialed call at once, even if the platform is down', async () => {
    const world = aDialedCall(unreadable, { platform_id: 'p' });
    expect(await world.forceEnd()).toEqual({ kind: 'ended', hungUp: false });
    expect(world.hungUp).toEqual(['p']);
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'ended_by_operator', cost: 0 });
    expect([world.credit(), world.counted]).toEqual([{ available: CREDIT, held: 0 }, []]);
    expect(await world.forceEnd()).toEqual({ kind: 'already_ended' });
    expectConsistent(world);
  });

  it('ends a call whose hang-up is repeated until the platform answers', async () => {
    const world = aDialedCall(unreadable, { platform_id: 'p' });
    await world.forceEnd();
    world.deps.voice.hangUp = async (id) => {
      world.hungUp.push(id);
      return { kind: 'hung_up' };
    };
    world.pass(15);
    const results = await Promise.all(world.deps.dialQueue.due().map((work) => world.doWork(work)));
    expect([results, world.hungUp]).toEqual([['hung_up'], ['p', 'p']]);
    expect(world.deps.dialQueue.sent).toEqual([]);
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

  it('cannot end a call this way if it was not dialed or does not exist', async () => {
    for (const status of ['queued', 'scheduled'] as const) {
      const world = callWorld([aCall({ status, scheduled_for: START })]);
      expect(await forceEndCall(world.deps, RAVI, world.stored().call_id)).toEqual({ kind: 'not_dialed' });
    }
    expect(await forceEndCall(callWorld([]).deps, RAVI, aCall().call_id)).toEqual({ kind: 'call_not_found' });
  });
});
