import fc from 'fast-check';
import { type Callback, webhookIdFor } from '../../../../shared/domain/after-call/callbacks/callback.ts';
import { callbackHost, callbacksOf } from '../../../../shared/domain/after-call/callbacks/callback-hosts.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { recoverySteps } from '../../../../shared/domain/calls/recovery/recovery.ts';
import {
  anEndedCall,
  type CallbackWorld,
  callbackWorld,
  endedCallsOf,
  status,
} from '../../support/worlds/callback-world.ts';
import type { Cut } from '../../support/worlds/world-that-dies.ts';

/** The workers of notify-callback (lib/functions.ts). */
const WORKERS = 20;
const MAX_ATTEMPTS = 7;
const HANGING = 'https://hanging.example/hook';
const HEALTHY = 'https://healthy.example/hook';

/** A world whose first receiver hangs, with the ends of its calls queued before those of another organization. */
function beside(hanging: number, healthy: number): CallbackWorld {
  const calls = [...endedCallsOf('a', hanging, HANGING), ...endedCallsOf('b', healthy, HEALTHY)];
  const world = callbackWorld(calls);
  world.answer = (_type, url) => (url === HANGING ? world.hangs() : status(204));
  world.end(calls);
  return world;
}

const attemptsOf = (world: CallbackWorld, webhookId: string) =>
  world.sent.filter((one) => one.webhookId === webhookId).length;

describe('a receiver that hangs', () => {
  it('with 60 notifications delays the callbacks of another organization by less than 20 s', async () => {
    const world = beside(60, 10);
    const start = world.ms;
    await world.work(WORKERS, 60);
    const delays = world.sent.filter(({ url }) => url === HEALTHY).map(({ at }) => (at - start) / 1000);
    expect(delays).toHaveLength(10);
    expect(Math.max(...delays)).toBeLessThan(20);
  });

  it('delays ten callbacks of a receiver that takes two seconds each by less than 20 s', async () => {
    const world = beside(60, 10);
    world.answer = (_type, url) => (url === HANGING ? world.hangs() : world.takes(2, 204));
    const start = world.ms;
    await world.work(WORKERS, 60);
    const delays = world.sent.filter(({ url }) => url === HEALTHY).map(({ at }) => (at - start) / 1000);
    expect(delays).toHaveLength(10);
    expect(Math.max(...delays)).toBeLessThan(20);
  });

  it.each([
    ['six receivers, which have answered so far', 6, { answered_at: '2026-03-02T05:59:00.000Z' }],
    ['nine receivers, which are new', 9, undefined],
  ])('leaves workers for another receiver beside %s', async (_which, count, known) => {
    const hosts = Array.from({ length: count }, (_, index) => `https://hanging-${index}.example/hook`);
    const calls = hosts.flatMap((url, index) => endedCallsOf(`h${index}`, 10, url));
    const world = callbackWorld([...calls, ...endedCallsOf('b', 1, HEALTHY)]);
    for (const { org_id, callback_url = '' } of known ? calls : []) {
      const hosts = [{ host: callbackHost(callback_url), failures: 0, ...known }];
      world.put('receivers', { receiver: callbacksOf(org_id), version: 1, leases: [], hosts, expires_at: 0 });
    }
    world.answer = (_type, url) => (url === HEALTHY ? status(204) : world.hangs());
    for (const { call_id } of world.all('calls'))
      void world.deps.callbackQueue.send(world.eventOf(world.callOf(String(call_id)), 'call.completed'));
    await world.work(WORKERS, 1);
    expect(world.sent.filter(({ url }) => url === HEALTHY)).toHaveLength(1);
  });

  it('gets few requests at once, and fewer the longer it hangs', async () => {
    const world = beside(60, 0);
    await world.work(WORKERS, 600);
    // Three at once until four have failed, then one probe after 30, 60, 120, 240 and 300 s.
    expect(world.sent.length).toBeLessThanOrEqual(6 + 5);
    expect(world.notifications().flatMap(({ attempts }) => attempts).length).toBe(world.sent.length);
  });

  it('gets all waiting notifications that are due within ten minutes of answering again, and the rest by its schedule', async () => {
    const world = beside(60, 0);
    await world.work(WORKERS, 6 * 3_600);
    world.answer = () => status(204);
    await world.work(WORKERS, 600);
    const left = world.notifications().filter(({ state }) => state === 'pending');
    expect(left.filter(({ put_off_since }) => put_off_since)).toEqual([]);
    await world.work(WORKERS, 12 * 3_600);
    expect(world.notifications().map(({ state }) => state)).toEqual(Array(60).fill('delivered'));
  });

  it('gets each notification at most seven times, and none later than three days after its event', async () => {
    const world = beside(30, 0);
    await world.work(WORKERS, 3 * 86_400 + 3_600);
    for (const { webhook_id, state, attempts } of world.notifications()) {
      expect(state).toBe('failed');
      expect(attempts.length).toBeLessThanOrEqual(MAX_ATTEMPTS);
      expect(attemptsOf(world, webhook_id)).toBe(attempts.length);
    }
    for (const { callback_status } of world.all('calls')) expect(callback_status).toBe('failed');
    expect(world.waiting()).toEqual([]);
  });

  it('gets no growing backlog: every notification has one message, despite recover-calls', async () => {
    const world = beside(60, 0);
    for (let minutes = 0; minutes < 120; minutes += 5) {
      await world.work(WORKERS, 300);
      await world.recover();
      expect(world.waiting().length).toBeLessThanOrEqual(60);
    }
  });
});

describe('recover-calls', () => {
  it('sends an overdue notification with growing intervals while no worker takes it', async () => {
    const world = beside(1, 0);
    const [work] = world.due();
    await world.dying({ at: 2, moment: 'after' }, async () => work && world.deliver(work));
    for (let minutes = 0; minutes < 6 * 60; minutes += 5) {
      world.pass(300);
      await world.recover();
    }
    expect(world.waiting().length).toBeGreaterThanOrEqual(1);
    expect(world.waiting().length).toBeLessThanOrEqual(8);
  });

  it('creates the notification of the end and one message for it if its event was lost', async () => {
    const [call = anEndedCall()] = endedCallsOf('a', 1, HEALTHY);
    const world = callbackWorld([call]);
    await world.recover();
    await world.recover();
    expect(world.waiting()).toHaveLength(1);
    await world.run();
    // The event was late, not lost.
    await world.deliver(world.eventOf(call, 'call.completed'));
    expect(world.sent).toHaveLength(1);
    expect(world.callOf(call.call_id).callback_status).toBe('delivered');
  });
});

describe('the notification of the analysis', () => {
  const analyzed = () => {
    const [call = anEndedCall()] = endedCallsOf('a', 1, HEALTHY);
    const finished_at = '2026-03-02T06:00:00.000Z';
    return { ...call, finished_at, analyzed_at: finished_at, analysis_callback: 'pending' as const };
  };

  it('is created again if its event was lost after the end was delivered', async () => {
    const call = analyzed();
    const world = callbackWorld([call]);
    await world.deliver(world.eventOf(call, 'call.completed'));
    expect(world.callOf(call.call_id)).toMatchObject({ callback_status: 'delivered', unfinished: 'ended' });
    world.pass(300);
    expect(recoverySteps(world.callOf(call.call_id), world.deps.now())).toEqual(['notify']);
    await world.recover();
    await world.run();
    expect(world.sent.map(({ type }) => type)).toEqual(['call.completed', 'call.analyzed']);
    expect(world.callOf(call.call_id)).toMatchObject({ analysis_callback: 'done' });
    expect(world.callOf(call.call_id).unfinished).toBeUndefined();
  });

  /** A call that finished without an analysis long ago. Its notifications have expired. */
  const finishedLongAgo = (over: Partial<Call> = {}) => {
    const [call = anEndedCall()] = endedCallsOf('a', 1, HEALTHY);
    const failed = { state: 'failed' as const, error: 'throttled' };
    const finished = { finished_at: '2026-01-02T06:00:00.000Z', callback_status: 'delivered' as const };
    const world = callbackWorld([{ ...call, ...finished, unfinished: undefined, analysis: failed, ...over }]);
    const steps = () => recoverySteps(world.callOf(call.call_id), world.deps.now());
    return Object.assign(world, { id: call.call_id, steps });
  };

  it('is created again if its event was lost after a client requested the analysis long after the end', async () => {
    const world = finishedLongAgo();
    await world.analyze(world.id);
    expect(world.steps()).toEqual([]);
    world.pass(180);
    expect(world.steps()).toEqual(['notify']);
    await world.recover();
    await world.run();
    await world.analyze(world.id);
    await world.recover();
    await world.run();
    expect(world.sent.map(({ type }) => type)).toEqual(['call.analyzed']);
    expect(world.callOf(world.id).unfinished).toBeUndefined();
  });

  it.each([{ callback_url: undefined }, { analyzed_at: '2026-01-02T06:00:00.000Z' }])(
    'does not exist for a call without a client or with an earlier analysis: %j',
    async (over) => {
      const world = finishedLongAgo(over);
      await world.analyze(world.id);
      expect(world.callOf(world.id).unfinished).toBeUndefined();
    },
  );

  it.each([204, 410, 500])('completes its call once it is settled: %i', async (code) => {
    const call = analyzed();
    const world = callbackWorld([call]);
    world.answer = () => status(code);
    await world.deliver(world.eventOf(call, 'call.completed'));
    await world.deliver(world.eventOf(call, 'call.analyzed'));
    await world.run();
    expect(world.callOf(call.call_id).analysis_callback).toBe('done');
    expect(world.callOf(call.call_id).unfinished).toBeUndefined();
  });
});

describe('an attempt', () => {
  it('is made by one of many workers with copies of its message', async () => {
    const world = beside(1, 0);
    const [work] = world.due();
    if (!work) throw new Error('no message');
    const deliveries = Array.from({ length: 5 }, () => world.deliver(work));
    await world.work(0, 10);
    await Promise.all(deliveries);
    expect(world.sent).toHaveLength(1);
    expect(world.waiting()).toHaveLength(1);
  });

  it('prevents a worker with an older read from dropping its notification, both during and after the attempt', async () => {
    const [call = anEndedCall()] = endedCallsOf('a', 1, HEALTHY);
    const world = callbackWorld([call]);
    world.answer = () => status(503);
    await world.deliver(world.eventOf(call, 'call.completed'));
    const [asRead] = world.notifications() as Callback[];
    if (!asRead) throw new Error('no notification');
    const drop = () => world.deps.callbacks.drop(asRead, 'failed', world.now);
    const dropped: boolean[] = [];
    world.answer = async () => {
      dropped.push(await drop());
      return status(204);
    };
    await world.run();
    dropped.push(await drop());
    expect([dropped, world.notifications()]).toMatchObject([[false, false], [{ state: 'delivered' }]]);
  });

  it('counts even if its worker died before storing the result', async () => {
    const [call = anEndedCall()] = endedCallsOf('a', 1, HEALTHY);
    const world = callbackWorld([call]);
    const event = world.eventOf(call, 'call.completed');
    world.answer = () => {
      throw new Error('the worker was stopped');
    };
    for (let deaths = 0; deaths < 20; deaths += 1) {
      await world.deliver(event).catch(() => undefined);
      world.pass(180);
    }
    expect(world.sent).toHaveLength(MAX_ATTEMPTS);
    expect(world.notifications()).toMatchObject([{ state: 'failed' }]);
    expect(world.callOf(call.call_id).callback_status).toBe('failed');
  });

  const cut: fc.Arbitrary<Cut> = fc.record({
    at: fc.integer({ min: 1, max: 16 }),
    moment: fc.constantFrom('before', 'after'),
  });
  const fate = fc.constantFrom(204, 500, 503, 'hang' as const);

  it('is made at most seven times, with copies, deaths and recover-calls at any step', async () => {
    const step = fc.record({ copies: fc.integer({ min: 1, max: 3 }), cut: fc.option(cut), recovers: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(fate, { minLength: 1 }), async (steps, fates) => {
        const [call = anEndedCall()] = endedCallsOf('a', 1, HEALTHY);
        const world = callbackWorld([call]);
        world.answer = () => {
          const next = fates[world.sent.length % fates.length] ?? 204;
          return next === 'hang' ? { kind: 'failed', reason: 'no answer in time' } : status(next);
        };
        /** The messages of a dead worker, which are visible again after three minutes. */
        let held = [world.eventOf(call, 'call.completed')];
        for (const { copies, cut, recovers } of steps) {
          const due = [...held, ...world.next()].flatMap((work) => Array(copies).fill(work));
          held = [];
          for (const work of due) {
            const hasDied = cut ? await world.dying(cut, () => world.deliver(work)) : void (await world.deliver(work));
            if (hasDied) held.push(work);
          }
          world.pass(180);
          if (recovers) await world.recover();
        }
        for (const work of held) await world.deliver(work);
        for (let minutes = 0; minutes < 4 * 1_440; minutes += 30) {
          await world.work(3, 1_800);
          await world.recover();
          if (world.waiting().length === 0 && world.callOf(call.call_id).callback_status !== 'pending') break;
        }
        const id = webhookIdFor(call.call_id, 'call.completed');
        expect(attemptsOf(world, id)).toBeLessThanOrEqual(MAX_ATTEMPTS);
        expect(world.notifications().map(({ state }) => state)).toEqual([
          expect.stringMatching(/^(delivered|failed)$/),
        ]);
        expect(world.callOf(call.call_id).callback_status).toBe(world.notifications()[0]?.state);
        // It is given up only after seven attempts.
        if (world.notifications()[0]?.state === 'failed') expect(world.notifications()[0]?.attempts).toHaveLength(7);
      }),
      { numRuns: 50 },
    );
  });
});
