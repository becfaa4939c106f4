import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isWritingOver, retrySeconds } from '../../../../shared/domain/after-call/remote-writing.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';

const finished_at = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => new Date(secondsAfter(finished_at, seconds));

describe('the tries to write what another system is told of a call', () => {
  it('are 15 seconds apart at first, then as long as half of the time so far, an hour at most', () => {
    expect([0, 30, 60, 600, 7200, 200_000].map((seconds) => retrySeconds(finished_at, at(seconds), 0))).toEqual([
      15, 15, 30, 300, 3600, 3600,
    ]);
    fc.assert(
      fc.property(fc.nat(300_000), fc.double({ min: 0, max: 1, noNaN: true }), (seconds, random) => {
        const wait = retrySeconds(finished_at, at(seconds), random);
        expect(wait).toBeLessThanOrEqual(retrySeconds(finished_at, at(seconds), 0));
        expect(wait).toBeGreaterThanOrEqual(11);
      }),
    );
  });

  it('wait about an hour where only a person can help', () => {
    expect([0, 1].map((random) => retrySeconds(finished_at, at(0), random, { needsPerson: true }))).toEqual([
      3600, 2700,
    ]);
  });

  it('end after three days, not a second before', () => {
    expect(isWritingOver(finished_at, at(259_199))).toBe(false);
    expect(isWritingOver(finished_at, at(259_200))).toBe(true);
  });
});
