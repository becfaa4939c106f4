import fc from 'fast-check';
import {
  classifyAnswer,
  delayBeforeAttempt,
} from '../../../../../shared/domain/after-call/callbacks/callback-schedule.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const HOURS = 3600;
const ATTEMPTS = 7;
const attempts = fc.integer({ min: 1, max: ATTEMPTS });
const randoms = fc.double({ min: 0, max: 1, noNaN: true });
const delay = (...args: Parameters<typeof delayBeforeAttempt>) => delayBeforeAttempt(...args) ?? Number.NaN;

describe('delayBeforeAttempt', () => {
  it.each([
    [1, 0, 0, 0],
    [2, 4, 5, 6],
    [3, 240, 300, 360],
    [4, 1440, 1800, 2160],
    [5, 5760, 7200, 8640],
    [6, 14_400, 18_000, 21_600],
    [7, 28_800, 36_000, 43_200],
  ])('spreads attempt %i from %i s over %i s to %i s', (attempt, least, middle, most) => {
    expect([0, 0.5, 1].map((random) => delayBeforeAttempt(attempt, random))).toEqual([least, middle, most]);
  });

  it('stays within 20 % of the schedule, in whole seconds, and never delays the first attempt', () => {
    forAll([attempts, randoms], (attempt, random) => {
      const middle = delay(attempt, 0.5);
      expect(delay(attempt, random)).toBeGreaterThanOrEqual(middle * 0.8 - 1e-6);
      expect(delay(attempt, random)).toBeLessThanOrEqual(middle * 1.2 + 1e-6);
      expect(Number.isInteger(delay(attempt, random))).toBe(true);
      expect(delay(1, random)).toBe(0);
    });
  });

  it('allows no attempt after the seventh, even if the receiver demands one', () => {
    forAll([fc.integer({ min: ATTEMPTS + 1 }), randoms], (attempt, random) => {
      expect(delayBeforeAttempt(attempt, random, { status: 503, retryAfterSeconds: 60 })).toBeUndefined();
    });
  });

  it.each([0, -1, 1.5])('has no delay for attempt %d', (attempt) => {
    expect(delayBeforeAttempt(attempt, 0.5)).toBeUndefined();
  });

  it('obeys the wait of a throttling answer up to 10 h, but never waits less than the schedule', () => {
    const answers = fc.record({ status: fc.constantFrom(429, 502, 503, 504), retryAfterSeconds: fc.nat(720 * HOURS) });
    forAll([attempts, randoms, answers], (attempt, random, answer) => {
      const demanded = Math.min(answer.retryAfterSeconds, 10 * HOURS);
      expect(delay(attempt, random, answer)).toBe(Math.max(delay(attempt, random), demanded));
    });
  });

  it.each([200, 301, 400, 404, 408, 410, 500, 501, 505])('ignores Retry-After of a %i', (status) => {
    expect(delayBeforeAttempt(2, 0.5, { status, retryAfterSeconds: 60 })).toBe(5);
  });

  it('follows the schedule if a throttling answer names no time', () => {
    expect(delayBeforeAttempt(2, 0.5, { status: 503 })).toBe(5);
  });
});

describe('classifyAnswer', () => {
  it('treats only a 2xx as delivered and only a 410 as the end of the notifications, and retries after other answers', () => {
    for (let status = 100; status < 600; status++) {
      const isSuccess = Math.floor(status / 100) === 2;
      expect(classifyAnswer(status)).toBe(isSuccess ? 'delivered' : status === 410 ? 'gone' : 'retry');
    }
  });
});
