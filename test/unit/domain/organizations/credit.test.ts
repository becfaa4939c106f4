import fc from 'fast-check';
import {
  chargeFor,
  holdFor,
  lackOfCredit,
  startedMinutes,
  toCredits,
  toUnits,
} from '../../../../shared/domain/organizations/credit.ts';
import { forAll } from '../../../support/values/for-all.ts';

const rate = fc.integer({ min: 0, max: 100_000 });
const maxSeconds = fc.integer({ min: 10, max: 3600 });
const connected = fc.integer({ min: 0, max: 100_000 });

describe('the conversion of credits', () => {
  it('is exact from units to credits and back, up to a million credits', () => {
    forAll([fc.integer({ min: -1_000_000_000, max: 1_000_000_000 })], (units) => {
      expect(toUnits(toCredits(units))).toBe(units);
    });
  });

  it.each([
    [0, 0],
    [0.001, 1],
    [0.1, 100],
    [0.3, 300],
    [1.005, 1005],
    [4.35, 4350],
    [1_000_000, 1_000_000_000],
    [-2.5, -2500],
  ])('converts %d credits to %d units', (credits, units) => {
    expect(toUnits(credits)).toBe(units);
  });

  it.each([0.0001, 1.2345, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300])(
    'refuses %d, which is not a whole number of units',
    (credits) => {
      const message = `${credits} is not a number of credits with at most three decimals`;
      expect(() => toUnits(credits)).toThrow(new RangeError(message));
    },
  );

  it('refuses any fourth decimal place', () => {
    const anyUnits = fc.integer({ min: -1_000_000, max: 1_000_000 });
    forAll([anyUnits, fc.integer({ min: 1, max: 9 })], (units, tenth) => {
      expect(() => toUnits((units * 10 + tenth) / 10_000)).toThrow(RangeError);
    });
  });
});

it('a lack of credit is explained in credits', () => {
  const message = 'The call may cost 12.5 credits, and 0.001 are available.';
  expect(lackOfCredit(12_500, 1)).toEqual({ message, required: 12.5, available: 0.001 });
});

describe('the price of a call', () => {
  it.each([
    [0, 0],
    [1, 1],
    [59, 1],
    [60, 1],
    [61, 2],
    [120, 2],
    [600, 10],
  ])('counts %d connected seconds as %d started minutes', (seconds, minutes) => {
    expect(startedMinutes(seconds)).toBe(minutes);
  });

  it('never exceeds the hold, which covers the longest call', () => {
    expect(holdFor(1000, 600)).toBe(10_000);
    expect(holdFor(1500, 601)).toBe(16_500);
    forAll([rate, maxSeconds], (perMinute, seconds) => {
      const held = holdFor(perMinute, seconds);
      expect(chargeFor({ rate: perMinute, held }, seconds)).toEqual({ cost: held, beyondHold: 0 });
    });
  });

  it('is zero for a call that never connected', () => {
    expect(chargeFor({ rate: 1000, held: 10_000 }, 0)).toEqual({ cost: 0, beyondHold: 0 });
  });

  it('never exceeds the hold, and an excess is reported', () => {
    forAll([rate, maxSeconds, connected], (perMinute, seconds, talked) => {
      const held = holdFor(perMinute, seconds);
      const { cost, beyondHold } = chargeFor({ rate: perMinute, held }, talked);
      expect(cost).toBeLessThanOrEqual(held);
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(cost + beyondHold).toBe(perMinute * Math.ceil(talked / 60));
      if (beyondHold > 0) expect(cost).toBe(held);
    });
  });
});
