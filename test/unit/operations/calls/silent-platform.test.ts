import type { Call } from '../../../../shared/domain/calls/call.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { callListing, type Page } from '../../../../shared/integrations/voice/vapi/call-listing.ts';
import type { ReadOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import { readsOfRun } from '../../../../shared/operations/calls/recovery/read-unfinished.ts';
import { aClaimedCall } from '../../support/call.ts';
import { crowd } from '../../support/crowd.ts';
import { aReport, callWorld, expectConsistent } from '../../support/worlds/call-world.ts';
import { CREDIT } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const LONGEST_SECONDS = 600;
const PAST_DEADLINE_SECONDS = LONGEST_SECONDS + 3_600 + 60;
const RUN_SECONDS = 240;
const RECOVERY_SECONDS = 300;
/** The platform's time-out, as in vapi.ts. */
const TIMEOUT_SECONDS = 10;

const timedOut = { kind: 'unknown', reason: 'ABORT_ERR', isUnanswered: true } as const;

/** Calls that were dialed at the same time, in the order in which a run visits them. */
const dialed = (count: number, over: (index: number) => Partial<Call>) =>
  Array.from({ length: count }, (_, index) =>
    aClaimedCall({
      call_id: `call_${String(index).padStart(4, '0')}`,
      dial_claimed_at: START,
      dial_by: secondsAfter(START, index),
      held: 10,
      ...over(index),
    }),
  );
const knownAs = (index: number) => ({ platform_id: `p${index}`, status: 'in_progress' }) as const;

/**
 * Runs of recover-calls against a platform that answers no request until its time-out. Time passes only while requests
 * hang.
 */
function aSilentPlatform(calls: Call[]) {
  const world = callWorld(calls);
  const requests: string[] = [];
  const hanging = crowd<never>({
    get ms() {
      return world.ms;
    },
    pass: world.pass,
    waiting: () => [],
    due: () => [],
    deliver: async () => undefined,
  });
  const platform = {
    read: (_platformId: string): Promise<ReadOutcome> => hanging.hang(timedOut, TIMEOUT_SECONDS),
    page: (): Promise<Page> => hanging.hang({ kind: 'no_answer', reason: 'ABORT_ERR' } as const, TIMEOUT_SECONDS),
  };
  world.deps.voice.read = (platformId) => {
    requests.push(platformId);
    return platform.read(platformId);
  };
  world.pass(PAST_DEADLINE_SECONDS);
  return Object.assign(world, {
    requests,
    platform,
    hang: hanging.hang,
    lost: () => world.calls().filter(({ ended_reason }) => ended_reason === 'lost').length,
    /** Runs recover-calls once, and passes the time until the next run. Returns the seconds that the run took. */
    async run() {
      const [started, before] = [world.ms, requests.length];
      world.deps.timeLeftMs = () => RUN_SECONDS * 1000 - (world.ms - started);
      const readPage = () => {
        requests.push('page');
        return platform.page();
      };
      Object.assign(world.deps.lookup, callListing(readPage, { now: () => world.ms, stopwatch: () => world.ms }));
      const run = world.recover().then((report) => ({ report, seconds: (world.ms - started) / 1000 }));
      const [done] = await Promise.all([run, hanging.work(0, RECOVERY_SECONDS)]);
      return { ...done, requests: requests.slice(before) };
    },
  });
}

describe('a platform that answers no request', () => {
  it('does not delay the end of calls past their deadline: all end in one run, after a few requests', async () => {
    const world = aSilentPlatform(dialed(1_000, knownAs));
    const { report, requests } = await world.run();
    expect([world.lost(), report.complete, report.failed]).toEqual([1_000, true, 0]);
    // Eight calls are read at once.
    expect(requests.length).toBeLessThanOrEqual(10);
    expect(world.live()).toEqual({});
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.counted.filter((name) => name === 'CallLost')).toHaveLength(1_000);
    // A hang-up is requested for each call, whether or not its record was requested.
    const asked = world.deps.dialQueue.due().map(({ hang_up }) => hang_up?.platform_id);
    expect(new Set(asked)).toEqual(new Set(Array.from({ length: 1_000 }, (_, index) => `p${index}`)));
    expectConsistent(world);
  });

  it('does not delay the end of calls whose dials it never answered, although lookups take a minute', async () => {
    const world = aSilentPlatform(dialed(1_000, () => ({})));
    const { report } = await world.run();
    expect([world.lost(), report.complete]).toEqual([1_000, true]);
    expectConsistent(world);
  });

  it('does not end calls before their deadline, and is queried about them again in the next run', async () => {
    const live = { max_duration_seconds: LONGEST_SECONDS + 3_600 };
    const world = aSilentPlatform(dialed(100, (index) => ({ ...knownAs(index), ...(index % 2 === 0 && live) })));
    await world.run();
    expect([world.lost(), world.calls().filter(({ status }) => status === 'in_progress').length]).toEqual([50, 50]);
    world.platform.read = async (platform_id) => ({
      kind: 'known',
      message: aReport({ platform_id, started_at: START, ended_at: secondsAfter(START, 60) }),
    });
    const { requests } = await world.run();
    expect(requests).toHaveLength(50);
    expect(world.calls().filter(({ status }) => status === 'completed')).toHaveLength(50);
    expectConsistent(world);
  });
});

describe('a platform that refuses every request late', () => {
  const slowly = { kind: 'unknown', reason: 'status 503' } as const;

  it('does not delay the end of calls past their deadline', async () => {
    const world = aSilentPlatform(dialed(1_000, knownAs));
    world.platform.read = () => world.hang(slowly, TIMEOUT_SECONDS - 1);
    const { report, requests } = await world.run();
    expect([world.lost(), report.complete, report.failed]).toEqual([1_000, true, 0]);
    expect(requests.length).toBeLessThanOrEqual(10);
    expectConsistent(world);
  });
});

describe('a platform that answers late', () => {
  it('is queried about every call, because its answers settle the calls', async () => {
    const world = aSilentPlatform(dialed(60, knownAs));
    world.platform.read = (platform_id) =>
      world.hang({ kind: 'known', message: aReport({ platform_id }) } as const, TIMEOUT_SECONDS - 1);
    const { requests } = await world.run();
    expect([requests.length, world.lost()]).toEqual([60, 0]);
    expect(world.calls().filter(({ status }) => status === 'completed')).toHaveLength(60);
  });
});

describe('a platform that answers reads late, and no lookup', () => {
  it.each([120, 136, 152, 168])('lets a run with %i reads end before its function times out', async (reads) => {
    const world = aSilentPlatform(dialed(reads + 40, (index) => (index < reads ? knownAs(index) : {})));
    world.platform.read = (platform_id) =>
      world.hang({ kind: 'known', message: aReport({ platform_id }) } as const, TIMEOUT_SECONDS - 1);
    const { seconds } = await world.run();
    // After its lookup, a step may read a record, which takes until the time-out.
    expect(seconds).toBeLessThan(RUN_SECONDS - TIMEOUT_SECONDS);
    await world.run();
    expect(world.lost()).toBe(40);
    expect(world.calls().filter(({ status }) => status === 'completed')).toHaveLength(reads);
    expectConsistent(world);
  });
});

describe('a platform that leaves some requests unanswered', () => {
  it('is still queried about the other calls past their deadline, which end as its records say', async () => {
    const world = aSilentPlatform(dialed(60, knownAs));
    world.platform.read = (platform_id) =>
      Number(platform_id.slice(1)) < 6
        ? world.hang(timedOut, TIMEOUT_SECONDS)
        : world.hang({ kind: 'known', message: aReport({ platform_id }) } as const, 0);
    const { requests } = await world.run();
    expect([requests.length, world.lost()]).toEqual([60, 6]);
    expect(world.calls().filter(({ status }) => status === 'completed')).toHaveLength(54);
  });

  it.each([
    ['three in a row', 'xxx?', 3],
    ['two in a row', 'xx.xx?', 6],
    ['one in two', 'x.x.x.?', 7],
    ['three late refusals', 'sss?', 3],
    ['a late refusal between two silences', 'xsx?', 3],
    ['two late refusals before a quick one', 'ssfss?', 6],
    ['quick refusals', 'ffff?', 5],
    ['late answers', 'llll?', 5],
  ])('is queried in a run until three requests in a row have failed slowly: %s', async (_what, answers, sent) => {
    const asked: string[] = [];
    let ms = 0;
    const refused = { kind: 'unknown', reason: 'status 503' } as const;
    const read = readsOfRun(
      async (id) => {
        asked.push(id);
        if (id === 's' || id === 'l') ms += 5_000;
        if (id === 'x') return timedOut;
        return id === 's' || id === 'f' ? refused : { kind: 'not_found' };
      },
      () => -ms,
    );
    for (const answer of answers) await read(answer);
    expect(asked).toHaveLength(sent);
  });

  it('is queried again if it answered another request while three others hung', async () => {
    const ends: (() => void)[] = [];
    const read = readsOfRun(
      (id) =>
        id === 'x'
          ? new Promise((resolve) => ends.push(() => resolve(timedOut)))
          : Promise.resolve({ kind: 'not_found' }),
      () => 0,
    );
    const hanging = [read('x'), read('x'), read('x')];
    await read('?');
    for (const end of ends) end();
    await Promise.all(hanging);
    expect(await read('?')).toEqual({ kind: 'not_found' });
  });
});

describe('the calls past their deadline', () => {
  it.each([
    ['whose records the platform refuses', async (): Promise<ReadOutcome> => ({ kind: 'unknown', reason: '500' }), 60],
    [
      'about which no request can be sent, because the key cannot be read,',
      () => Promise.reject(new Error('no secret')),
      10,
    ],
  ])('%s end in one run, too', async (_what, read, most) => {
    const world = aSilentPlatform(dialed(60, knownAs));
    world.platform.read = read;
    const { requests } = await world.run();
    expect(world.lost()).toBe(60);
    expect(requests.length).toBeLessThanOrEqual(most);
  });
});
