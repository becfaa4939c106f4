import fc from 'fast-check';
import { lookupWindow } from '../../../shared/domain/calls/platform/platform-lookup.ts';
import {
  callListing,
  type ListedCall,
  type Page,
  type PageQuery,
} from '../../../shared/integrations/voice/vapi/call-listing.ts';

const NOON = Date.parse('2026-03-02T06:30:00.000Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const KILOBYTE = 1_024;
const MAX_BYTES = 8 * KILOBYTE * KILOBYTE;

/** A call at the platform. `at` may be between two milliseconds, and is listed without the fraction. */
type Stored = { id: string; callId?: string; at: number; bytes?: number };

/** A platform that lists newest first, and whose answers take longer the larger they are. */
function aPlatform(stored: readonly Stored[], { mostBytes = MAX_BYTES } = {}) {
  const newestFirst = stored.toSorted((one, other) => other.at - one.at);
  const platform = {
    requests: [] as PageQuery[],
    ms: NOON,
    answer: (query: PageQuery): Page => {
      const calls = newestFirst.filter(({ at }) => query.from <= at && at < query.to).slice(0, query.limit);
      const bytes = calls.reduce((sum, call) => sum + (call.bytes ?? 1), 0);
      platform.ms += 100 + bytes / (20 * KILOBYTE);
      if (bytes > mostBytes) return { kind: 'no_answer', reason: 'answer too large' };
      return { kind: 'page', calls: calls.map(listed) };
    },
    /** Starts a run. */
    run: (budgetMs?: number) =>
      callListing(
        async (query) => {
          platform.requests.push(query);
          return platform.answer(query);
        },
        { now: () => platform.ms, stopwatch: () => platform.ms, ...(budgetMs !== undefined && { budgetMs }) },
      ),
  };
  return platform;
}

const listed = ({ id, callId, at }: Stored): ListedCall => ({ id, callId, createdAt: Math.floor(at) });
const none: ReadonlySet<string> = new Set();
const around = (at: number) => ({ from: new Date(at - MINUTE), to: new Date(at + MINUTE) });

/** 125 dials a minute until noon, whose records have 200 KB, and every tenth of which had no answer. */
function aBusyStage(minutes: number) {
  const dials = Array.from({ length: 125 * minutes }, (_, n) => ({
    id: `p${n}`,
    callId: `call_${n}`,
    at: NOON - minutes * MINUTE + n * 480,
    bytes: 200 * KILOBYTE,
  }));
  const unknown = dials.filter((_, n) => n % 10 === 0);
  // The platform lacks every second one of these.
  const absent = new Set(unknown.filter((_, n) => n % 2 === 0).map(({ id }) => id));
  return { unknown, absent, platform: aPlatform(dials.filter(({ id }) => !absent.has(id))) };
}

describe('the lookups of a run', () => {
  it('settle the unknown dials of a stage that dials 125 calls a minute, with one listing for all', async () => {
    const { unknown, absent, platform } = aBusyStage(10);
    const lookup = platform.run();
    const now = new Date(NOON + 3 * MINUTE);
    const outcomes = await Promise.all(
      unknown.map(({ callId, at }) => lookup.find(callId, lookupWindow(new Date(at).toISOString(), now), none)),
    );
    expect(outcomes).toEqual(
      unknown.map(({ id }) =>
        absent.has(id) ? { kind: 'absent', as_of: expect.any(String) } : { kind: 'found', platformId: id, others: [] },
      ),
    );
    // 1,187 records, 20 per page, in seven parts of two minutes, and a repeated record on most pages.
    expect(platform.requests.length).toBeLessThan(100);
    expect(platform.ms - NOON).toBeLessThan(40 * SECOND);
  });

  it('settle in the second run the dials that the first had no time for', async () => {
    const { unknown, platform } = aBusyStage(10);
    const budget = 15 * SECOND;
    const left: typeof unknown = [];
    for (const [run, calls] of [unknown, left].entries()) {
      const lookup = platform.run(budget);
      for (const call of calls.slice()) {
        const window = lookupWindow(new Date(call.at).toISOString(), new Date(NOON + 3 * MINUTE));
        const { kind } = await lookup.find(call.callId, window, none);
        if (kind === 'unknown' && run === 0) left.push(call);
        else expect(kind).not.toBe('unknown');
      }
    }
    expect(left.length).toBeGreaterThan(0);
  });

  it('prove an absence as of the time of the listing, however much later a call uses it', async () => {
    const platform = aPlatform([]);
    const lookup = platform.run();
    const absent = { kind: 'absent', as_of: new Date(NOON).toISOString() };
    expect(await lookup.find('call_1', around(NOON - 5 * MINUTE), none)).toEqual(absent);
    platform.ms = NOON + MINUTE;
    expect(await lookup.find('call_2', around(NOON - 5 * MINUTE), none)).toEqual(absent);
    expect(platform.requests).toHaveLength(1);
  });

  it('send no more requests when the run has no time left, and prove only what they listed before', async () => {
    const { unknown, platform } = aBusyStage(10);
    const lookup = platform.run();
    const hasTime = () => platform.requests.length < 10;
    const now = new Date(NOON + 3 * MINUTE);
    const kinds: string[] = [];
    for (const { callId, at } of unknown.toReversed()) {
      const window = lookupWindow(new Date(at).toISOString(), now);
      kinds.push((await lookup.find(callId, window, none, hasTime)).kind);
    }
    expect(platform.requests).toHaveLength(10);
    expect(new Set(kinds)).toEqual(new Set(['found', 'absent', 'unknown']));
  });

  it('list only the part of a window that was not listed before', async () => {
    const platform = aPlatform([]);
    const lookup = platform.run();
    for (const seconds of [0, -30, -61, 90]) await lookup.find('call_1', around(NOON + seconds * SECOND), none);
    const spans = platform.requests.map(({ from, to }) => [(from - NOON) / SECOND, Math.ceil((to - NOON) / SECOND)]);
    expect(spans).toEqual([
      [-120, 61],
      [-240, -120],
      [60.001, 151],
    ]);
  });

  it('ignore former attempts', async () => {
    const stored = ['p1', 'p2'].map((id) => ({ id, callId: 'call_1', at: NOON }));
    const lookup = aPlatform(stored).run();
    const found = { kind: 'found', platformId: 'p2', others: [] };
    expect(await lookup.find('call_1', around(NOON), new Set(['p1']))).toEqual(found);
    expect(await lookup.find('call_1', around(NOON), new Set(['p1', 'p2']))).toMatchObject({ kind: 'absent' });
  });

  it('find every call of one dial even if a part of the time was listed for another call', async () => {
    const stored = [
      { id: 'p_first', callId: 'call_1', at: NOON - 3 * MINUTE },
      { id: 'p_former', callId: 'call_1', at: NOON - 2 * MINUTE },
      { id: 'p_second', callId: 'call_1', at: NOON },
      { id: 'p_other', callId: 'call_2', at: NOON },
    ];
    const lookup = aPlatform(stored).run();
    expect(await lookup.find('call_2', around(NOON), none)).toMatchObject({ platformId: 'p_other', others: [] });
    const window = { from: new Date(NOON - 4 * MINUTE), to: new Date(NOON) };
    const found = { kind: 'found', platformId: 'p_second', others: ['p_first'] };
    expect(await lookup.find('call_1', window, new Set(['p_former']))).toEqual(found);
  });

  it('find a listed call even if the rest of its window cannot be listed', async () => {
    const platform = aPlatform([{ id: 'p1', callId: 'call_1', at: NOON }]);
    const lookup = platform.run();
    await lookup.find('call_2', around(NOON), none);
    platform.answer = () => ({ kind: 'unknown', reason: 'status 500' });
    const window = { from: new Date(NOON - 9 * MINUTE), to: new Date(NOON) };
    expect(await lookup.find('call_1', window, none)).toEqual({ kind: 'found', platformId: 'p1', others: [] });
  });
});

describe('a listing', () => {
  const records = (count: number, over: (n: number) => Partial<Stored>): Stored[] =>
    Array.from({ length: count }, (_, n) => ({ id: `p${n}`, callId: `call_${n}`, at: NOON - n, ...over(n) }));
  const findsAll = async (stored: Stored[], mostBytes?: number) => {
    const platform = aPlatform(stored, { ...(mostBytes && { mostBytes }) });
    const lookup = platform.run();
    for (const { id, callId = '' } of stored)
      expect(await lookup.find(callId, around(NOON), none)).toEqual({ kind: 'found', platformId: id, others: [] });
    expect(await lookup.find('call_other', around(NOON), none)).toMatchObject({ kind: 'absent' });
    return platform.requests;
  };

  it('reads an answer that is too large in smaller pages, down to one record', async () => {
    const limits = (
      await findsAll(
        records(30, () => ({ bytes: 5 })),
        25,
      )
    ).map(({ limit }) => limit);
    expect(limits.slice(0, 3)).toEqual([20, 10, 5]);
    expect(Math.max(...limits.slice(2))).toBe(5);
    await findsAll(
      records(30, () => ({ bytes: 5 })),
      9,
    );
  });

  it('reads up to 79 calls of one millisecond', async () => {
    await findsAll(records(79, () => ({ at: NOON })));
  });

  it.each<[string, Stored[], Partial<ReturnType<typeof aPlatform>>]>([
    ['has too many calls of one millisecond', records(200, () => ({ at: NOON })), {}],
    ['has a record that is too large', records(2, (n) => ({ bytes: n * 2 * MAX_BYTES })), {}],
    ['repeats one page forever', [], { answer: () => ({ kind: 'page', calls: records(100, () => ({})).map(listed) }) }],
    [
      'is not in the documented order',
      [],
      { answer: () => ({ kind: 'page', calls: records(2, (n) => ({ at: NOON + n })).map(listed) }) },
    ],
    [
      'names no creation times',
      [],
      {
        answer: () => ({
          kind: 'page',
          calls: Array.from({ length: 20 }, (_, n) => ({ id: `p${n}`, callId: undefined, createdAt: undefined })),
        }),
      },
    ],
  ])('that %s proves no absence, and ends', async (_name, stored, over) => {
    const platform = Object.assign(aPlatform(stored), over);
    expect(await platform.run().find('call_x', around(NOON), none)).toMatchObject({ kind: 'unknown' });
    expect(platform.requests.length).toBeLessThan(15);
  });

  it('that one record stops leaves only the calls around it unknown, and reads the others in whole pages', async () => {
    const { unknown, absent, platform } = aBusyStage(20);
    const tooLarge = NOON - 10 * MINUTE;
    const answer = platform.answer;
    platform.answer = (query) => {
      const page = answer(query);
      const isHit = page.kind === 'page' && page.calls.some(({ createdAt }) => createdAt === tooLarge);
      return isHit ? { kind: 'no_answer', reason: 'answer too large' } : page;
    };
    const lookup = platform.run(10 * MINUTE);
    const now = new Date(NOON + 3 * MINUTE);
    for (const { id, callId, at } of unknown) {
      const window = lookupWindow(new Date(at).toISOString(), now);
      const { kind } = await lookup.find(callId, window, none);
      const isAround = window.from.getTime() <= tooLarge && tooLarge <= window.to.getTime();
      if (!isAround) expect([id, kind]).toEqual([id, absent.has(id) ? 'absent' : 'found']);
      else expect([id, kind]).toEqual([id, absent.has(id) ? 'unknown' : expect.stringMatching(/found|unknown/)]);
    }
    // 2,375 records, 20 per page, and five sizes at each of the few positions before the record.
    expect(platform.requests.length).toBeLessThan(200);
  });

  it.each([
    ['no call', []],
    ['a call', [{ id: 'p_other', callId: 'call_other', at: NOON - 30 * SECOND }]],
  ])('that one record stops before the window proves an absence if %s is between', async (_name, others: Stored[]) => {
    const platform = aPlatform([...others, { id: 'p_large', at: NOON - 61 * SECOND, bytes: 2 * MAX_BYTES }]);
    const lookup = platform.run();
    expect(await lookup.find('call_x', around(NOON), none)).toMatchObject({ kind: 'absent' });
    // Until it stops, pages of 20, 10, 5, 2 and 1, at two positions if a call is between; then one for the window.
    expect(platform.requests.length).toBeLessThan(10);
    const requests = platform.requests.length;
    // A wider window, which begins before the record, takes one request for one record, but only once.
    const wider = { from: new Date(NOON - 90 * SECOND), to: new Date(NOON + MINUTE) };
    for (let n = 0; n < 3; n += 1) expect(await lookup.find('call_x', wider, none)).toMatchObject({ kind: 'unknown' });
    expect(platform.requests).toHaveLength(requests + 1);
  });

  it('sends no more requests until the next run if the platform fails three times', async () => {
    const down: Page = { kind: 'unknown', reason: 'status 500' };
    const platform = Object.assign(aPlatform([]), { answer: () => down });
    const lookup = platform.run();
    for (let n = 0; n < 50; n += 1) expect(await lookup.find(`call_${n}`, around(NOON), none)).toEqual(down);
    expect(platform.requests).toHaveLength(3);
    await platform.run().find('call_1', around(NOON), none);
    expect(platform.requests).toHaveLength(4);
  });

  it('finds exactly the platform’s calls, or reports that it is incomplete', async () => {
    const stored = fc.array(
      fc.record({
        // Some calls of one millisecond, whose instants differ by fractions of it.
        at: fc
          .tuple(fc.integer({ min: -3_000, max: 3_000 }), fc.nat(3))
          .map(([ms, part]) => NOON + Math.trunc(ms / 9) + part / 4),
        bytes: fc.constantFrom(1, 2, 5, 9),
      }),
      { maxLength: 150 },
    );
    const rule = async (calls: Omit<Stored, 'id'>[], mostBytes: number) => {
      const all = calls.map((call, n) => ({ ...call, id: `p${n}`, callId: `call_${n}` }));
      const lookup = aPlatform(all, { mostBytes }).run();
      for (const { id, callId, at } of all) {
        const window = { from: new Date(Math.floor(at) - 100), to: new Date(Math.floor(at) + 50) };
        const found = await lookup.find(callId, window, none);
        if (found.kind !== 'unknown') expect(found).toEqual({ kind: 'found', platformId: id, others: [] });
      }
    };
    await fc.assert(fc.asyncProperty(stored, fc.constantFrom(10, 30, 1_000), rule), { numRuns: 200 });
  });
});
