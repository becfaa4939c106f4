import fc from 'fast-check';
import {
  defaultRateLimits,
  judgeOrg,
  judgeRate,
  minuteOf,
} from '../../../../shared/domain/organizations/rate-limit.ts';
import { forAll } from '../../../support/values/for-all.ts';

const minute = Date.parse('2026-03-02T06:00:00.000Z');
const limits = { requests_per_minute: 600, outbound_per_minute: 60 };
const judge = (requests: number, outbound: number, isOutbound = true, at = minute) =>
  judgeRate({ requests, outbound }, limits, isOutbound ? 'outbound' : undefined, at);

describe('the rate limits', () => {
  it('are 600 requests and 60 outbound calls a minute', () => {
    expect(defaultRateLimits).toEqual({ requests_per_minute: 600, outbound_per_minute: 60 });
  });

  it('allow the last request within the limit and refuse the next', () => {
    expect(judge(600, 0, false)).toMatchObject({ allowed: true, remaining: 0 });
    expect(judge(601, 0, false)).toMatchObject({ allowed: false, remaining: 0 });
    expect(judge(60, 60)).toMatchObject({ allowed: true, remaining: 0 });
    expect(judge(61, 61)).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('both apply to an outbound call; only the general limit applies to other requests', () => {
    expect(judge(601, 1)).toMatchObject({ allowed: false, limit: 600 });
    expect(judge(61, 61)).toMatchObject({ allowed: false, limit: 60 });
    expect(judge(100, 61, false)).toMatchObject({ allowed: true, limit: 600, remaining: 500 });
  });

  it.each(['analyses', 'uploads'] as const)(
    'of a key allow 10 %s in half a minute, those of an organization 30',
    (kind) => {
      const ofKey = (count: number) => judgeRate({ requests: count, [kind]: count }, limits, kind, minute);
      expect([ofKey(10), ofKey(11)]).toMatchObject([
        { allowed: true, remaining: 0 },
        { allowed: false, limit: 10, resetSeconds: 30, windowSeconds: 30 },
      ]);
      const ofOrg = [30, 31].map((count) => judgeOrg(count, kind, minute));
      expect(ofOrg).toMatchObject([{ allowed: true }, { allowed: false, limit: 30, resetSeconds: 30 }]);
    },
  );

  it('report the limit that refuses, or else the one with fewer requests left', () => {
    expect(judge(10, 10)).toMatchObject({ limit: 60, remaining: 50 });
    expect(judge(590, 10)).toMatchObject({ limit: 600, remaining: 10 });
    expect(judge(600, 61)).toMatchObject({ allowed: false, limit: 60, remaining: 0 });
    expect(judge(601, 60)).toMatchObject({ allowed: false, limit: 600, remaining: 0 });
  });

  it('have the client wait until neither refuses, if both do', () => {
    const both = (requests: number) => judgeRate({ requests, analyses: 11 }, limits, 'analyses', minute);
    expect(both(601)).toMatchObject({ allowed: false, limit: 600, resetSeconds: 60 });
    expect(both(600)).toMatchObject({ allowed: false, limit: 10, resetSeconds: 30 });
    const later = minute + 30_000;
    expect(judgeRate({ requests: 601, uploads: 11 }, limits, 'uploads', later)).toMatchObject({ resetSeconds: 30 });
  });

  it('reset at every clock minute', () => {
    expect(minuteOf(minute + 59_999)).toBe(minuteOf(minute));
    expect(minuteOf(minute + 60_000)).toBe(minuteOf(minute) + 1);
    expect([0, 59_000, 59_999].map((ms) => judge(1, 1, true, minute + ms).resetSeconds)).toEqual([60, 1, 1]);
  });

  it('always reset in the next minute, after 1 to 60 seconds', () => {
    forAll([fc.integer({ min: 0, max: 4_000_000_000_000 })], (at) => {
      const { resetSeconds } = judgeRate({ requests: 1, outbound: 0 }, limits, undefined, at);
      expect(minuteOf(at + resetSeconds * 1000)).toBe(minuteOf(at) + 1);
      expect(resetSeconds).toBeGreaterThanOrEqual(1);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    });
  });

  it('allow exactly as many requests as the lower limit, for any limits', () => {
    const small = fc.integer({ min: 1, max: 30 });
    forAll([small, small], (requests_per_minute, outbound_per_minute) => {
      const limits = { requests_per_minute, outbound_per_minute };
      const counts = Array.from({ length: 40 }, (_, index) => ({ requests: index + 1, outbound: index + 1 }));
      const allowed = counts.filter((count) => judgeRate(count, limits, 'outbound', minute).allowed);
      expect(allowed).toHaveLength(Math.min(requests_per_minute, outbound_per_minute));
    });
  });
});
