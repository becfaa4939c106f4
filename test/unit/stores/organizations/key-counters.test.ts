import fc from 'fast-check';
import {
  type CostlyKind,
  costlyKinds,
  type RateCounters,
  windowSeconds,
} from '../../../../shared/domain/organizations/rate-limit.ts';
import { inWaves } from '../../support/waves.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const KEY = 'a'.repeat(64);
const start = Date.parse(START);

type Arrival = { pause: number; late: number; costs: CostlyKind | undefined; isAnotherKey: boolean };

/** Requests in the order in which they reach the table. Each was sent up to 29 s before, by any worker. */
const arrivals = fc.array(
  fc.record({
    pause: fc.oneof(fc.integer({ min: 0, max: 70_000 }), fc.constantFrom(0, 30_000, 60_000, 120_000, 3_600_000)),
    late: fc.integer({ min: 0, max: 29_000 }),
    costs: fc.option(fc.constantFrom(...costlyKinds), { nil: undefined }),
    isAnotherKey: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

/** Counts as the limits are documented: each window for itself, and forgets none. */
function model() {
  const counts = new Map<string, number>();
  const name = (kind: keyof RateCounters, epochMs: number) =>
    `${kind} ${Math.floor(epochMs / 1_000 / windowSeconds[kind])}`;
  return (costs: CostlyKind | undefined, epochMs: number): RateCounters => {
    for (const kind of ['requests', ...(costs ? [costs] : [])] as const)
      counts.set(name(kind, epochMs), (counts.get(name(kind, epochMs)) ?? 0) + 1);
    const of = (kind: keyof RateCounters) => counts.get(name(kind, epochMs)) ?? 0;
    return { requests: of('requests'), ...Object.fromEntries(costlyKinds.map((kind) => [kind, of(kind)])) };
  };
}

describe('the counters of an API key', () => {
  it('count each request once, in its own window, whenever and in whatever order requests arrive', async () => {
    const rule = async (requests: Arrival[]) => {
      const world = aWorld();
      const keys = [KEY, 'b'.repeat(64)].map((hash) => ({ hash, count: model() }));
      let now = start;
      for (const { hash } of keys) await world.stores.keyCounters.begin(hash, undefined, start - 3_600_000);
      for (const { pause, late, costs, isAnotherKey } of requests) {
        now += pause;
        const { hash, count } = keys[isAnotherKey ? 1 : 0] as (typeof keys)[number];
        const sent = now - late;
        expect(await world.stores.keyCounters.count(hash, costs, sent)).toEqual(count(costs, sent));
      }
    };
    await fc.assert(fc.asyncProperty(arrivals, rule), { numRuns: 60 });
  });

  it('count all requests that arrive at once before the counters of an older version exist', async () => {
    const { waves, wrap } = inWaves();
    const { keyCounters } = aWorld({}, wrap).stores;
    const first = async (costs: CostlyKind | undefined) =>
      (await keyCounters.count(KEY, costs, start)) ?? (await keyCounters.begin(KEY, costs, start));
    const counts = await Promise.all([...costlyKinds, undefined].map(first));
    expect(counts.map(({ requests }) => requests).toSorted()).toEqual([1, 2, 3, 4]);
    expect(await keyCounters.count(KEY, 'uploads', start)).toEqual({
      requests: 5,
      outbound: 1,
      analyses: 1,
      uploads: 2,
    });
    expect(waves.map((wave) => wave.length)).toEqual([4, 4, 3, 1]);
  });

  it('fit into the kilobyte of one write unit', async () => {
    const world = aWorld();
    const { keyCounters } = world.stores;
    await keyCounters.begin(KEY, undefined, start);
    for (const seconds of [0, 30, 60, 86_400, 86_430, 86_460])
      for (const costs of costlyKinds) await keyCounters.count(KEY, costs, start + seconds * 1_000);
    const [item] = world.all('rate-limits');
    expect(Object.keys(item ?? {}).length).toBe(2 + 2 * 2 * 4);
    expect(JSON.stringify(item).length).toBeLessThan(800);
  });
});
