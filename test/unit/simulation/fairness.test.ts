import type { Call } from '../../../shared/domain/calls/call.ts';
import { fairnessOracle } from '../../simulation/oracles/fairness.ts';
import { constantSlots } from '../../simulation/stage-slots.ts';
import { aCall, aCalledLead } from '../support/call.ts';

const WORKER = 'hand-over-slots 1';
const instant = (seconds: number) => new Date(Date.UTC(2026, 2, 2, 6) + 1000 * seconds).toISOString();
const lead = { lead: aCalledLead() };

type World = ReturnType<typeof aWorld>;

/** The oracle of a stage. Every step takes a second. */
function aWorld({ slots = 1, lagMs = 0 } = {}) {
  let seconds = 0;
  const violations: string[] = [];
  const now = () => Date.parse(instant(seconds));
  const oracle = fairnessOracle((_oracle, text) => violations.push(text), now, constantSlots(slots), lagMs);
  const calls = new Map<string, Call>();
  const step = (...changes: Parameters<typeof oracle.onChange>[]) => {
    seconds += 1;
    for (const change of changes) oracle.onChange(...change);
    oracle.check(WORKER);
  };
  const change = (id: string, over: Partial<Call>): Parameters<typeof oracle.onChange> => {
    const before = calls.get(id);
    const after = aCall({ ...before, call_id: id, ...over });
    calls.set(id, after);
    return ['calls', before, after];
  };
  return {
    violations,
    /** An organization is put on the list. */
    list: (org: string) =>
      step(['slots', undefined, { scope: `org#${org}`, waiting: 'listed', waiting_since: instant(seconds) }]),
    /** A call of an organization begins to wait. The name of the organization is the first letter of the call's. */
    wait: (id: string, over: Partial<Call> = {}) =>
      step(change(id, { org_id: id.charAt(0), dial_after: instant(seconds), dial_by: instant(9_000), ...over })),
    begin(): void {
      seconds += 1;
      oracle.onStageRead(WORKER);
    },
    /** Gives slots to calls, in one transaction. */
    reserve: (...ids: string[]) =>
      step(...ids.map((id) => change(id, { unfinished: 'reserved', reserved_at: instant(seconds), slots: ['stage'] }))),
  };
}

/** A hand-over that begins after everything else. */
const handOver = (world: World, ...ids: string[]) => {
  world.begin();
  world.reserve(...ids);
};

/** Organization a has a live call, and another one that waits, and so has b. */
function aWaitsLongest(over: Parameters<typeof aWorld>[0] = {}): World {
  const world = aWorld({ slots: 2, ...over });
  world.list('a');
  world.wait('a1');
  handOver(world, 'a1');
  world.wait('a2');
  return world;
}

describe('the oracle of fairness reports a slot that goes', () => {
  it('to an organization with more live calls than one that waits', () => {
    const world = aWaitsLongest();
    world.list('b');
    world.wait('b1');
    handOver(world, 'a2');
    expect(world.violations).toEqual([expect.stringMatching(/^a got a slot with 1 live calls.*; b has 0/)]);
  });

  it('to an organization that has had as many in the same hand-over', () => {
    const world = aWorld({ slots: 2 });
    for (const org of ['a', 'b']) world.list(org);
    for (const id of ['a1', 'a2', 'b1']) world.wait(id);
    handOver(world, 'a1', 'a2');
    expect(world.violations).toEqual([expect.stringMatching(/^a got a slot with 1 live calls.*; b has 0/)]);
  });

  it('to the organization that has waited less, among two with equally many live calls', () => {
    const world = aWorld();
    for (const org of ['a', 'b']) world.list(org);
    for (const id of ['a1', 'b1']) world.wait(id);
    handOver(world, 'b1');
    expect(world.violations).toEqual([expect.stringMatching(/^b got a slot with 0 live calls.*; a has 0/)]);
  });

  it('to a lead’s call before a client’s, or to the newer call', () => {
    const world = aWorld();
    world.list('a');
    for (const id of ['a1', 'a2']) world.wait(id);
    world.wait('a0', lead);
    handOver(world, 'a2');
    handOver(world, 'a0');
    expect(world.violations).toEqual([
      expect.stringMatching(/^a2 .* got a slot before a1 /),
      expect.stringMatching(/^a0 .* got a slot before a1 /),
    ]);
  });

  it('to no call, although one waits', () => {
    const world = aWorld({ slots: 2 });
    world.list('a');
    for (const id of ['a1', 'a2']) world.wait(id);
    handOver(world, 'a1');
    expect(world.violations).toEqual([expect.stringMatching(/^a slot stays free, and a waits/)]);
  });

  it('again and again to others while an organization with a waiting call is not on the list', () => {
    const world = aWorld({ slots: 20 });
    world.list('a');
    world.wait('b1');
    for (let index = 0; index < 20; index += 1) world.wait(`a${index}`);
    for (let index = 0; index < 6; index += 1) handOver(world, `a${index}`);
    expect(world.violations).toEqual(expect.arrayContaining(['b waits with 0 live calls; a got slot 5']));
  });
});

describe('the oracle of fairness accepts a slot that goes', () => {
  it('to the organization with the fewest live calls, and in it to the client’s oldest call', () => {
    const world = aWaitsLongest({ slots: 3 });
    world.list('b');
    world.wait('b0', lead);
    for (const id of ['b1', 'b2']) world.wait(id);
    handOver(world, 'b1', 'a2');
    expect(world.violations).toEqual([]);
  });

  it.each(['was listed', 'got its call'])('past an organization that %s after the worker began', (what) => {
    const world = aWaitsLongest();
    const comesBack = { dial_after: instant(0) };
    const steps = [() => world.list('b'), () => world.wait('b1', comesBack)];
    const [late, early] = what === 'was listed' ? steps : steps.toReversed();
    early?.();
    world.begin();
    late?.();
    world.reserve('a2');
    expect(world.violations).toEqual([]);
  });

  it('past an organization whose call an index may not show yet', () => {
    const world = aWaitsLongest({ lagMs: 5_000 });
    world.list('b');
    world.wait('b1');
    handOver(world, 'a2');
    expect(world.violations).toEqual([]);
  });
});
