import fc from 'fast-check';
import {
  driftBounds,
  type Holding,
  heldBounds,
  heldByScope,
  judgeDrift,
  leastDrift,
  takenBetween,
} from '../../../../../shared/domain/calls/slots/slot-drift.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const SCOPE = 'org#1';

it('each call counts in every scope of its slots, and a call without slots counts in no scope', () => {
  const calls = [{ slots: ['stage', 'org#1'] }, {}, { slots: ['stage', 'org#2'] }, { slots: ['stage', 'org#1'] }];
  expect(Object.fromEntries(heldByScope(calls))).toEqual({ stage: 3, 'org#1': 2, 'org#2': 1 });
  expect(heldByScope([])).toEqual(new Map());
});

it.each([
  ['two taken', { live: 5, moves: 9 }, { live: 7, moves: 11 }, 2],
  ['two given back', { live: 5, moves: 9 }, { live: 3, moves: 11 }, 0],
  ['three taken and one given back', { live: 5, moves: 9 }, { live: 7, moves: 13 }, 3],
  ['none', { live: 5, moves: 9 }, { live: 5, moves: 9 }, 0],
  ['a correction by one, which is not a move', { live: 5, moves: 9 }, { live: 4, moves: 11 }, 2],
  ['a correction upwards', { live: 5, moves: 9 }, { live: 9, moves: 11 }, 2],
  ['a correction downwards', { live: 9, moves: 9 }, { live: 5, moves: 11 }, 2],
])('the moves of a counter show how many slots were taken between two reads: %s', (_what, before, after, taken) => {
  expect(takenBetween(before, after)).toBe(taken);
});

describe('the slots that calls held when a counter was read', () => {
  const at = (slots_at?: string): Holding => ({ slots: ['stage', SCOPE], slots_at });
  const bounds = (earlier: object, later: object, taken = 0, since = '5') =>
    heldBounds(SCOPE, [new Map(Object.entries(earlier)), new Map(Object.entries(later))], { taken, since });

  it('are known if both reads of the calls agree', () => {
    expect(bounds({ a: at('1'), b: at('2') }, { a: at('1'), b: at('2') })).toEqual({ least: 2, most: 2 });
    expect(bounds({ a: at() }, { a: at() })).toEqual({ least: 1, most: 1 });
    // A call of an earlier version has no `slots_at`, so it does not explain the slot that was taken.
    expect(bounds({ a: at() }, { a: at() }, 1)).toEqual({ least: 1, most: 2 });
    expect(bounds({ a: {}, b: { slots: ['stage', 'org#2'], slots_at: '1' } }, { a: {} })).toEqual({
      least: 0,
      most: 0,
    });
  });

  it('are a range if a slot moved between the reads', () => {
    expect(bounds({ a: at('1'), b: at('2') }, { a: at('1'), b: {} })).toEqual({ least: 1, most: 2 });
    expect(bounds({ a: at('1') }, { a: at('1'), b: at('4') })).toEqual({ least: 1, most: 2 });
    expect(bounds({ a: at('1') }, { a: at('4') })).toEqual({ least: 0, most: 1 });
  });

  it('may be more, by each slot taken since the first read of the counter that no call explains', () => {
    expect(bounds({ a: at('1') }, { a: at('1') }, 2)).toEqual({ least: 1, most: 3 });
    expect(bounds({ a: at('1'), b: at('6') }, { a: at('1'), b: at('6') }, 2)).toEqual({ least: 2, most: 3 });
    expect(bounds({ a: at('6'), b: {} }, { a: {}, b: at('7') }, 2)).toEqual({ least: 0, most: 2 });
    expect(bounds({ a: at('6'), b: at('7') }, { a: at('6'), b: at('7') }, 1)).toEqual({ least: 2, most: 2 });
    expect(bounds({ a: at('5') }, { a: at('5') }, 1)).toEqual({ least: 1, most: 2 });
  });
});

it.each([
  [5, { least: 3, most: 3 }, { least: 2, most: 2 }, 2],
  [3, { least: 5, most: 6 }, { least: -3, most: -2 }, -2],
  [5, { least: 3, most: 4 }, { least: 1, most: 2 }, 1],
  [5, { least: 3, most: 7 }, { least: -2, most: 2 }, 0],
  [4, { least: 4, most: 4 }, { least: 0, most: 0 }, 0],
])('a counter of %d, with %j slots held by calls, is wrong by %j, and by %d at least', (live, held, drift, least) => {
  expect(driftBounds(live, held)).toEqual(drift);
  expect(leastDrift(drift) + 0).toBe(least);
});

const exactly = (drift: number) => ({ least: drift, most: drift });

it.each([
  [undefined, exactly(3), 0, 3],
  [3, exactly(3), 3, 0],
  [3, exactly(2), 2, 0],
  [2, { least: 3, most: 9 }, 2, 0],
  [-1, exactly(-4), -1, 0],
  [-4, exactly(-1), -1, 0],
  [1, exactly(-1), 0, -1],
  [-1, exactly(1), 0, 1],
  // A run without a certain result keeps the possible part of the drift, and forgets the impossible part.
  [2, { least: -1, most: 2 }, 0, 2],
  [-1, { least: -1, most: 2 }, 0, -1],
  [3, { least: -1, most: 2 }, 0, 0],
  [-2, { least: -1, most: 2 }, 0, 0],
  [2, exactly(0), 0, 0],
  [undefined, { least: -1, most: 2 }, 0, 0],
])(
  'after a drift of %s, a drift of %j leads to a correction of %d and a note of %d',
  (former, current, correct, note) => {
    const judged = judgeDrift(former, current);
    expect([judged.correct + 0, judged.note + 0]).toEqual([correct, note]);
  },
);

it('only drift that both runs found is corrected', () => {
  const drifts = fc.integer({ min: -50, max: 50 });
  forAll([drifts, drifts, fc.nat(5)], (former, least, width) => {
    const { correct } = judgeDrift(former, { least, most: least + width });
    expect(Math.abs(correct)).toBeLessThanOrEqual(
      Math.min(Math.abs(former), Math.abs(leastDrift({ least, most: least + width }))),
    );
    expect(correct * former).toBeGreaterThanOrEqual(0);
  });
});

it('slots that move during the comparison never increase the drift', () => {
  // Seconds of a run: list and read the calls, read the counter, wait, list again, read calls, counter and calls.
  const [LIST, BEFORE, AGAIN, EARLIER, AFTER, LATER] = [1, 1.2, 6.3, 6.5, 7, 7.5];
  const LAG = 5;
  const second = fc.double({ min: -8, max: 9, noNaN: true });
  const reservation = fc.record({
    taken: second,
    held: fc.double({ min: 0.1, max: 20, noNaN: true }),
    lag: fc.double({ min: 0, max: LAG, noNaN: true }),
  });
  const stamp = (at: number) => (100 + at).toFixed(6).padStart(12, '0');
  forAll([fc.array(reservation, { maxLength: 30 }), fc.integer({ min: -2, max: 2 })], (all, drift) => {
    const holds = ({ taken, held }: (typeof all)[number], at: number) => taken <= at && at < taken + held;
    const movesAt = (at: number) =>
      all.filter(({ taken }) => taken <= at).length + all.filter(({ taken, held }) => taken + held <= at).length;
    const counterAt = (at: number) => ({
      live: all.filter((one) => holds(one, at)).length + drift,
      moves: movesAt(at),
    });
    const ids = all.flatMap((one, id) => {
      const isListed = [LIST, AGAIN].some((at) => holds(one, at) && one.taken + one.lag <= at);
      return isListed ? [[String(id), one] as const] : [];
    });
    const readAt = (at: number) =>
      new Map(ids.map(([id, one]) => [id, holds(one, at) ? { slots: [SCOPE], slots_at: stamp(one.taken) } : {}]));
    const [before, after] = [counterAt(BEFORE), counterAt(AFTER)];
    const held = heldBounds(SCOPE, [readAt(EARLIER), readAt(LATER)], {
      taken: takenBetween(before, after),
      since: stamp(BEFORE),
    });
    const { least, most } = driftBounds(after.live, held);
    expect(least).toBeLessThanOrEqual(drift);
    expect(most).toBeGreaterThanOrEqual(drift);
  });
});
