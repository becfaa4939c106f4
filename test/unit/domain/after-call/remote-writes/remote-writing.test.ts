import fc from 'fast-check';
import {
  decideAfterLookup,
  givenUpMark,
  isWritingOver,
  retrySeconds,
} from '../../../../../shared/domain/after-call/remote-writes/remote-writing.ts';
import type { RemoteWrite } from '../../../../../shared/domain/calls/call.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const finished_at = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => new Date(secondsAfter(finished_at, seconds));

const unknown = { kind: 'unknown', reason: 'reset' } as const;

describe('the retries of a write to a remote system', () => {
  it('start 15 seconds apart, then wait half of the elapsed time, an hour at most', () => {
    expect(
      [0, 30, 60, 600, 7200, 200_000].map((seconds) => retrySeconds(finished_at, at(seconds), 0, unknown)),
    ).toEqual([15, 15, 30, 300, 3600, 3600]);
    forAll([fc.nat(300_000), fc.double({ min: 0, max: 1, noNaN: true })], (seconds, random) => {
      const wait = retrySeconds(finished_at, at(seconds), random, unknown);
      expect(wait).toBeLessThanOrEqual(retrySeconds(finished_at, at(seconds), 0, unknown));
      expect(wait).toBeGreaterThanOrEqual(11);
    });
  });

  it('are about an hour apart if only a person can fix the cause', () => {
    const wait = (random: number) =>
      retrySeconds(finished_at, at(0), random, { kind: 'reconnect_needed', reason: 'revoked' });
    expect([wait(0), wait(1)]).toEqual([3600, 2700]);
  });

  it('never come earlier than the remote system demands', () => {
    const busy = { kind: 'unavailable', reason: '429', retryAfterSeconds: 600 } as const;
    expect(retrySeconds(finished_at, at(0), 0, busy)).toBe(600);
    expect(retrySeconds(finished_at, at(7200), 0, busy)).toBe(3600);
  });

  it('end after three days, not a second earlier', () => {
    expect(isWritingOver(finished_at, at(259_199))).toBe(false);
    expect(isWritingOver(finished_at, at(259_200))).toBe(true);
  });
});

describe('a write that is given up', () => {
  it('has failed if no request was sent, and is unconfirmed if the record may have been written', () => {
    const failed = { state: 'failed', at: at(10).toISOString(), error: 'revoked' };
    expect(givenUpMark(undefined, 'revoked', at(10))).toEqual(failed);
    const requested = { state: 'asked', at: finished_at, absent_since: finished_at } as const;
    const unconfirmed = { state: 'unconfirmed', at: finished_at, error: 'reset' };
    expect(givenUpMark(requested, 'reset', at(10))).toEqual(unconfirmed);
  });
});

describe('a lookup after an unknown outcome', () => {
  const asked: RemoteWrite = { state: 'asked', at: finished_at };
  const absentSince = (seconds: number): RemoteWrite => ({ ...asked, absent_since: at(seconds).toISOString() });

  it('settles the write with the time of its request if the record is found', () => {
    const mark = { state: 'written', at: finished_at, id: '7' };
    const decision = decideAfterLookup(absentSince(20), { kind: 'found', id: '7' }, at(30));
    expect(decision).toEqual({ kind: 'settle', mark });
  });

  it.each([
    { kind: 'refused', code: 'NO_PERMISSION' } as const,
    { kind: 'impossible', reason: 'NO_PERMISSION' } as const,
  ])('leaves the write unconfirmed if the lookup fails permanently ($kind)', (outcome) => {
    const mark = { state: 'unconfirmed', at: finished_at, error: 'NO_PERMISSION' };
    expect(decideAfterLookup(asked, outcome, at(30))).toEqual({ kind: 'settle', mark });
  });

  it.each([
    { kind: 'unavailable', reason: 'status 500', retryAfterSeconds: 9 } as const,
    { kind: 'reconnect_needed', reason: 'revoked' } as const,
  ])('proves no absence if it did not complete ($kind)', (outcome) => {
    expect(decideAfterLookup(absentSince(0), outcome, at(1000))).toEqual(outcome);
  });

  it('allows a second request only after two complete lookups 60 seconds apart', () => {
    const decide = (mark: RemoteWrite, seconds: number) => decideAfterLookup(mark, { kind: 'absent' }, at(seconds));
    const again = { kind: 'look_again', mark: absentSince(20) };
    expect(decide(asked, 20)).toEqual({ ...again, seconds: 60 });
    expect(decide(absentSince(20), 79.5)).toEqual({ ...again, seconds: 0.5 });
    expect(decide(absentSince(20), 80)).toEqual({ kind: 'request' });
  });

  it('never allows a second request without a first absence at least 60 seconds old', () => {
    const lookup = fc.constantFrom<Parameters<typeof decideAfterLookup>[1]>(
      { kind: 'absent' },
      { kind: 'found', id: '7' },
      { kind: 'refused', code: 'X' },
      { kind: 'unavailable', reason: 'X' },
    );
    forAll([lookup, fc.option(fc.nat(300)), fc.nat(300)], (outcome, first, seconds) => {
      const decision = decideAfterLookup(first === null ? asked : absentSince(first), outcome, at(seconds));
      if (decision.kind === 'request') {
        expect(outcome.kind).toBe('absent');
        expect(seconds - (first ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(60);
      }
    });
  });
});
