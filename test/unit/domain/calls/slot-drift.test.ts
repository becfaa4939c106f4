import fc from 'fast-check';
import { confirmedDrift, heldByScope, leastDrift } from '../../../../shared/domain/calls/slot-drift.ts';
import { forAll } from '../../../support/for-all.ts';

it('each call counts in every scope of its slots, and a call without slots in none', () => {
  const calls = [{ slots: ['stage', 'org#1'] }, {}, { slots: ['stage', 'org#2'] }, { slots: ['stage', 'org#1'] }];
  expect(Object.fromEntries(heldByScope(calls))).toEqual({ stage: 3, 'org#1': 2, 'org#2': 1 });
  expect(heldByScope([])).toEqual(new Map());
});

it.each([
  [5, 3, 0, 2],
  [3, 5, 0, -2],
  [5, 3, 1, 1],
  [3, 5, 1, -1],
  [5, 3, 2, 0],
  [3, 5, 7, 0],
  [4, 4, 0, 0],
])('a counter of %d beside %d slots of calls, after %d moves, is wrong by %d at least', (live, held, moved, drift) => {
  expect(leastDrift(live, held, moved) + 0).toBe(drift);
});

it.each([
  [undefined, 3, 0],
  [3, 3, 3],
  [3, 2, 2],
  [2, 3, 2],
  [-1, -4, -1],
  [-4, -1, -1],
  [1, -1, 0],
  [-1, 1, 0],
  [2, 0, 0],
  [0, 2, 0],
])('of a difference of %s and then %d, %d is confirmed', (former, current, confirmed) => {
  expect(confirmedDrift(former, current) + 0).toBe(confirmed);
});

it('no more is corrected than both runs agree about', () => {
  const drifts = fc.integer({ min: -50, max: 50 });
  forAll([drifts, drifts], (former, current) => {
    const confirmed = confirmedDrift(former, current);
    expect(Math.abs(confirmed)).toBeLessThanOrEqual(Math.min(Math.abs(former), Math.abs(current)));
    expect(confirmed * current).toBeGreaterThanOrEqual(0);
  });
});
