import fc from 'fast-check';
import { backoffSeconds, dialBy } from '../../../../../shared/domain/calls/dialing/dial-timing.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const at = '2026-03-02T06:00:00.000Z';
const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('the wait for a dial', () => {
  it('ends 15 minutes after queueing, or after the time that the organization sets', () => {
    expect(dialBy(at)).toBe('2026-03-02T06:15:00.000Z');
    expect(dialBy(at, 120)).toBe('2026-03-02T08:00:00.000Z');
    expect(dialBy('2026-03-02T23:59:30.500Z', 1)).toBe('2026-03-03T00:00:30.500Z');
  });
});

describe('the back-off after an attempt that rang no phone', () => {
  it.each([
    [1, 15],
    [2, 30],
    [3, 60],
    [4, 120],
    [5, 120],
    [2000, 120],
  ])('after attempt %d is at most %d s and at least half of that', (attempts, seconds) => {
    expect(backoffSeconds(attempts, 0)).toBe(seconds);
    expect(backoffSeconds(attempts, 1)).toBe(Math.ceil(seconds / 2));
  });

  it.each([
    [1, 15],
    [6, 480],
    [7, 890],
    [2000, 890],
  ])(
    'after a refusal of the destination at attempt %d is at most %d s and at least half of that',
    (attempts, seconds) => {
      expect(backoffSeconds(attempts, 0, 'destination')).toBe(seconds);
      expect(backoffSeconds(attempts, 1, 'destination')).toBe(Math.ceil(seconds / 2));
    },
  );

  it('is not longer after a fault of the platform that closes no gate', () => {
    expect(backoffSeconds(2000, 0, 'platform')).toBe(120);
  });

  it('is in whole seconds, jittered between half and full, and at most two minutes', () => {
    forAll([fc.integer({ min: 1, max: 100 }), random, random], (attempts, a, b) => {
      const [less, more] = [Math.max(a, b), Math.min(a, b)];
      expect(Number.isInteger(backoffSeconds(attempts, a))).toBe(true);
      expect(backoffSeconds(attempts, less)).toBeLessThanOrEqual(backoffSeconds(attempts, more));
      expect(backoffSeconds(attempts, a)).toBeLessThanOrEqual(120);
      expect(backoffSeconds(attempts, a)).toBeGreaterThanOrEqual(8);
    });
  });
});
