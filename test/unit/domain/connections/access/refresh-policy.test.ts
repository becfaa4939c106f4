import fc from 'fast-check';
import {
  isRefreshDue,
  isRefreshedTooOften,
  isUsable,
  recentRefreshes,
} from '../../../../../shared/domain/connections/access/refresh-policy.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const now = (seconds: number) => new Date(START + seconds * 1000);
const token = { expires_at: at(3600) };

describe('an access token', () => {
  it('is due for a refresh from exactly five minutes before its expiry', () => {
    expect(isRefreshDue(token, now(3299.999))).toBe(false);
    expect(isRefreshDue(token, now(3300))).toBe(true);
  });

  it('is valid until its expiry, exclusively', () => {
    expect(isUsable(token, now(3599.999))).toBe(true);
    expect(isUsable(token, now(3600))).toBe(false);
  });

  it('is refreshed at most five times in ten minutes', () => {
    const five = [0, 1, 2, 3, 4].map(at);
    expect(isRefreshedTooOften(five.slice(1), now(10))).toBe(false);
    expect(isRefreshedTooOften(five, now(10))).toBe(true);
    expect(isRefreshedTooOften(five, now(599.999))).toBe(true);
    expect(isRefreshedTooOften(five, now(600))).toBe(false);
  });

  it('never has six refreshes in any ten minutes, whenever they are requested', () => {
    forAll([fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 })], (pauses) => {
      let [time, refreshes]: [number, string[]] = [0, []];
      const all: number[] = [];
      for (const pause of pauses) {
        time += pause;
        if (isRefreshedTooOften(refreshes, now(time))) continue;
        refreshes = [...recentRefreshes(refreshes, now(time)), at(time)];
        all.push(time);
      }
      return all.every((end) => all.filter((each) => each > end - 600 && each <= end).length <= 5);
    });
  });
});
