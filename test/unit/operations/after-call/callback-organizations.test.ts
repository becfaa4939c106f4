import type { Call } from '../../../../shared/domain/calls/call.ts';
import { type CallbackWorld, callbackWorld, endedCallsOf, status } from '../../support/worlds/callback-world.ts';

/** The workers of notify-callback (lib/functions.ts). */
const WORKERS = 20;
const MAX_ATTEMPTS = 7;
/** Spreads its multiples evenly over the numbers from 0 to 1. */
const GOLDEN_RATIO = 0.618034;
const GOOD = 'https://good.example/hook';
const OTHER = 'https://other.example/hook';

/** Ended calls of one organization, each of another host of its own domain. */
const callsOfHosts = (count: number, each = 1): Call[] =>
  Array.from({ length: count }, (_, host) => endedCallsOf(`a_${host}`, each, `https://${host}.example/hook`))
    .flat()
    .map((call) => ({ ...call, org_id: 'orga' }));

/** A world whose random numbers differ, so that refused work does not return all at once. */
function worldOf(calls: readonly Call[]): CallbackWorld {
  const world = callbackWorld(calls);
  let last = 0;
  world.deps.random = () => (last = (last + GOLDEN_RATIO) % 1);
  return world;
}

/** A world in which the hosts of one organization are slow, with their calls ended before those of the others. */
function besideHosts(many: readonly Call[], rest: readonly Call[]): CallbackWorld {
  const world = worldOf([...many, ...rest]);
  world.answer = (_type, url) => (isOneOfMany(url) ? world.hangs() : status(204));
  world.end([...many, ...rest]);
  return world;
}

const isOneOfMany = (url: string): boolean => /\/\d+\.example/.test(url);

/** The seconds after which each notification to this address was sent. */
const delaysAt = (world: CallbackWorld, address: string, start: number): number[] =>
  world.sent.filter(({ url }) => url === address).map(({ at }) => (at - start) / 1000);

describe('an organization with many hosts', () => {
  it.each([
    ['60 hang', 60, 1],
    ['60 hang, with ten notifications each,', 60, 10],
    ['1,000 hang, each with one notification,', 1_000, 1],
  ])('of which %s delays the callbacks of another organization by less than 20 s', async (_name, hosts, each) => {
    const world = besideHosts(callsOfHosts(hosts, each), endedCallsOf('b', 10, OTHER));
    const start = world.ms;
    await world.work(WORKERS, 120);
    const delays = delaysAt(world, OTHER, start);
    expect(delays).toHaveLength(10);
    expect(Math.max(...delays)).toBeLessThan(20);
  });

  it('that each answer after nine seconds delays the callbacks of another organization by less than 20 s', async () => {
    const world = besideHosts(callsOfHosts(60, 5), endedCallsOf('b', 10, OTHER));
    world.answer = (_type, url) => (isOneOfMany(url) ? world.takes(9, 204) : status(204));
    const start = world.ms;
    await world.work(WORKERS, 120);
    expect(Math.max(...delaysAt(world, OTHER, start))).toBeLessThan(20);
    await world.work(WORKERS, 30 * 60);
    expect(new Set(world.notifications().map(({ state }) => state))).toEqual(new Set(['delivered']));
  });

  it('gets its callbacks to a host that has answered before within 20 s beside those that hang', async () => {
    const rounds = Array.from({ length: 10 }, (_, round) =>
      endedCallsOf(`good_${round}`, 5, GOOD).map((call) => ({ ...call, org_id: 'orga' })),
    );
    const [first = [], ...later] = rounds;
    const many = callsOfHosts(100);
    const world = worldOf([...rounds.flat(), ...many]);
    world.answer = (_type, url) => (isOneOfMany(url) ? world.hangs() : status(204));
    world.end(first);
    await world.work(WORKERS, 60);
    world.end(many);
    for (const calls of later) {
      const [start, sent] = [world.ms, delaysAt(world, GOOD, 0).length];
      world.end(calls);
      await world.work(WORKERS, 300);
      const delays = delaysAt(world, GOOD, start).slice(sent);
      expect(delays).toHaveLength(5);
      expect(Math.max(...delays)).toBeLessThan(20);
    }
  });

  it.each([
    ['60 that hang, with three notifications each', 60, 3],
    ['200 that hang, each with one notification', 200, 1],
  ])('gets its callbacks to a new host within half an hour beside %s', async (_name, hosts, each) => {
    const good = endedCallsOf('good', 10, GOOD).map((call) => ({ ...call, org_id: 'orga' }));
    const world = besideHosts(callsOfHosts(hosts, each), good);
    const start = world.ms;
    await world.work(WORKERS, 30 * 60);
    expect(delaysAt(world, GOOD, start)).toHaveLength(10);
  });

  it.each([
    ['six attempts under way at most, if its hosts answer', 6, (world: CallbackWorld) => world.takes(9, 204)],
    ['four attempts under way at most, if its hosts hang', 4, (world: CallbackWorld) => world.hangs()],
  ])('has %s', async (_name, most, answer) => {
    const world = besideHosts(callsOfHosts(60, 2), []);
    let [underWay, seen] = [0, 0];
    world.answer = async () => {
      underWay += 1;
      seen = Math.max(seen, underWay);
      const outcome = await answer(world);
      underWay -= 1;
      return outcome;
    };
    await world.work(WORKERS, 120);
    expect(seen).toBe(most);
  });

  it('gets each notification at most seven times, and every one once its hosts answer again', async () => {
    const world = besideHosts(callsOfHosts(60, 3), []);
    await world.work(WORKERS, 2 * 3_600);
    expect(world.sent.length).toBeGreaterThan(0);
    world.answer = () => status(204);
    await world.work(WORKERS, 86_400);
    for (const { state, attempts } of world.notifications()) {
      expect(state).toBe('delivered');
      expect(attempts.length).toBeLessThanOrEqual(MAX_ATTEMPTS);
    }
    expect(world.notifications().flatMap(({ attempts }) => attempts)).toHaveLength(world.sent.length);
    expect(world.waiting()).toEqual([]);
  });

  it('gets no notification later than three days after its event, and no growing backlog', async () => {
    const world = besideHosts(callsOfHosts(100), []);
    for (let hours = 0; hours <= 72; hours += 1) {
      await world.work(WORKERS, 3_600);
      await world.recover();
      expect(world.waiting().length).toBeLessThanOrEqual(100);
    }
    await world.work(WORKERS, 3_600);
    expect(new Set(world.notifications().map(({ state }) => state))).toEqual(new Set(['failed']));
    expect(Math.max(...world.notifications().map(({ attempts }) => attempts.length))).toBeLessThanOrEqual(MAX_ATTEMPTS);
    expect(world.waiting()).toEqual([]);
  });

  it('has its full share again a minute after all workers at its hosts died', async () => {
    const good = endedCallsOf('good', 1, GOOD).map((call) => ({ ...call, org_id: 'orga' }));
    const many = callsOfHosts(6);
    const world = worldOf([...many, ...good]);
    const hostOf = (call: Call) => new URL(call.callback_url ?? '').host;
    const hosts = many.map((call) => ({ host: hostOf(call), failures: 0, answered_at: world.now }));
    world.put('receivers', { receiver: 'callbacks orga', version: 1, leases: [], hosts, expires_at: 0 });
    world.end(many);
    for (const work of world.due())
      expect(await world.dying({ at: 7, moment: 'after' }, () => world.deliver(work))).toBe(true);
    expect(world.all('receivers')).toMatchObject([{ leases: Array(6).fill({}) }]);
    world.end(good);
    for (const work of world.due()) expect(await world.deliver(work)).toBe('organization_busy');
    await world.work(WORKERS, 55);
    expect(delaysAt(world, GOOD, 0)).toHaveLength(0);
    await world.work(WORKERS, 60);
    expect(delaysAt(world, GOOD, 0)).toHaveLength(1);
  });
});

describe('eight organizations with many hosts that hang', () => {
  it('delay the callbacks of another organization by one time-out, and only once', async () => {
    const many = Array.from({ length: 8 }, (_, org) =>
      callsOfHosts(100).map((call) => ({ ...call, call_id: `${call.call_id}_${org}`, org_id: `orga${org}` })),
    ).flat();
    const rounds = Array.from({ length: 5 }, (_, round) => endedCallsOf(`b_${round}`, 5, OTHER));
    const world = worldOf([...many, ...rounds.flat()]);
    world.answer = (_type, url) => (isOneOfMany(url) ? world.hangs() : status(204));
    world.end(many);
    const longest: number[] = [];
    for (const calls of rounds) {
      const [start, sent] = [world.ms, delaysAt(world, OTHER, 0).length];
      world.end(calls);
      await world.work(WORKERS, 60);
      longest.push(Math.max(...delaysAt(world, OTHER, start).slice(sent)));
    }
    expect(longest).toEqual([10, 0, 0, 0, 0]);
  });
});
