import { paceOf } from '../../bench/support/lead-pipeline.ts';

/** The instants of decisions that each take 10 ms, except the last 30 with 20 ms. */
const decidedAt = Array.from({ length: 101 }, (_, index) => 10 * index + 10 * Math.max(0, index - 70));

test.each([
  [100, 20],
  [101, 21],
  [99, 20],
])('the measurement of %i leads compares the first with the last whole number of them', (leads, some) => {
  expect(paceOf(decidedAt, leads)).toEqual({ some, first: 10, last: 20 });
});

test('the measurement of too few leads has no ratio', () => {
  expect(paceOf([5], 1)).toEqual({ some: 1, first: Number.NaN, last: Number.NaN });
});
