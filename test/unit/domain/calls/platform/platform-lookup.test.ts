import fc from 'fast-check';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import {
  decideFromRecord,
  decideUnknownDial,
  isQueued,
  lookupWindow,
} from '../../../../../shared/domain/calls/platform/platform-lookup.ts';
import type { EndReport, PlatformMessage } from '../../../../../shared/domain/calls/platform/platform-message.ts';
import { secondsAfter, secondsBetween } from '../../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aClaimedCall } from '../../../support/call.ts';

const start = '2026-03-02T06:00:00.000Z';
/** The longest duration of `aClaimedCall`, plus an hour. */
const DEADLINE = 600 + 3_600;
const at = (seconds: number) => new Date(secondsAfter(start, seconds));

describe('the lookup of an attempt', () => {
  it('covers one minute before its claim and three minutes after it, but never the future', () => {
    expect(lookupWindow(start, at(3_600))).toEqual({ from: at(-60), to: at(180) });
    expect(lookupWindow(start, at(179))).toEqual({ from: at(-60), to: at(179) });
  });
});

describe('a dial with an unknown outcome', () => {
  const lookedUp = [{}, { absent_since: start }, { absent_since: start, absences: 1 }].map((over) =>
    aClaimedCall({ dial_claimed_at: start, ...over }),
  );

  it('is adopted if the platform has it, however often it was absent before', () => {
    const found = { kind: 'found', platformId: 'p' } as const;
    for (const call of lookedUp)
      expect(decideUnknownDial(call, found, at(1_000))).toEqual({ kind: 'read_record', platformId: 'p' });
  });

  it('waits for the next run if the lookup did not complete, until its deadline', () => {
    for (const call of lookedUp) {
      expect(decideUnknownDial(call, { kind: 'unknown' }, at(DEADLINE - 1))).toEqual({ kind: 'wait' });
      expect(decideUnknownDial(call, { kind: 'unknown' }, at(DEADLINE))).toEqual({ kind: 'end_as_lost' });
    }
  });

  it('is given back after two absent lookups a minute apart, and ended after two more', () => {
    const stepAt = (seconds: number, over: Partial<Call> = {}) =>
      decideUnknownDial(aClaimedCall(over), { kind: 'absent', as_of: secondsAfter(start, seconds) }, at(900)).kind;
    expect(stepAt(0)).toBe('note_absence');
    expect(stepAt(59.999, { absent_since: start })).toBe('wait');
    expect(stepAt(60, { absent_since: start })).toBe('give_back');
    expect(stepAt(300, { absences: 1 })).toBe('note_absence');
    expect(stepAt(60, { absent_since: start, absences: 1 })).toBe('withdraw');
  });

  it('is given back or ended only if two complete lookups a minute apart did not find it', () => {
    const instants = fc.integer({ min: -600, max: 0 }).map((seconds) => secondsAfter(start, seconds));
    const calls = fc.record({
      absent_since: fc.option(instants, { nil: undefined }),
      absences: fc.option(fc.nat(3), { nil: undefined }),
    });
    const lookups = fc.oneof(
      fc.constant({ kind: 'found' as const, platformId: 'p' }),
      fc.constant({ kind: 'unknown' as const }),
      instants.map((as_of) => ({ kind: 'absent' as const, as_of })),
    );
    forAll([calls, lookups], { numRuns: 1000 }, (call, lookup) => {
      const step = decideUnknownDial(aClaimedCall(call), lookup, at(0));
      if (step.kind !== 'give_back' && step.kind !== 'withdraw') return;
      const lookedUpAt = lookup.kind === 'absent' ? lookup.as_of : '';
      expect(secondsBetween(call.absent_since ?? lookedUpAt, lookedUpAt)).toBeGreaterThanOrEqual(60);
      expect(step.kind === 'give_back').toBe((call.absences ?? 0) === 0);
    });
  });
});

const report = (over: Partial<EndReport> = {}): EndReport => ({
  kind: 'report',
  platform_id: 'p',
  outcome: 'completed',
  reason: 'customer-ended-call',
  started_at: start,
  ended_at: secondsAfter(start, 70),
  ...over,
});
const known = (message: PlatformMessage) => ({ kind: 'known' as const, message });

describe("the platform's record", () => {
  const hungUp = aClaimedCall({ hung_up_at: secondsAfter(start, 75) });

  it('replaces the report two minutes after the end, not earlier, because its transcript may be missing', () => {
    const record = known(report());
    expect(decideFromRecord(aClaimedCall(), record, at(70 + 119.999))).toEqual({ kind: 'wait' });
    expect(decideFromRecord(aClaimedCall(), record, at(70 + 120))).toEqual({ kind: 'apply', message: record.message });
  });

  it('replaces a status update at once', () => {
    const record = known({ kind: 'progress', platform_id: 'p', status: 'ringing' });
    expect(decideFromRecord(aClaimedCall(), record, at(0))).toEqual({ kind: 'apply', message: record.message });
  });

  it('ends a call that is still queued at its dial_by, but no call that has rung', () => {
    const call = aClaimedCall({ dial_claimed_at: start, dial_by: secondsAfter(start, 900) });
    const queued = known({ kind: 'progress', platform_id: 'p', status: 'dialing' });
    const ringing = known({ kind: 'progress', platform_id: 'p', status: 'ringing' });
    expect(decideFromRecord(call, queued, at(899))).toMatchObject({ kind: 'note_queued' });
    expect(decideFromRecord(call, queued, at(900))).toEqual({ kind: 'end_queued', message: queued.message });
    expect(decideFromRecord(call, ringing, at(900))).toMatchObject({ kind: 'apply' });
    expect(decideFromRecord({ ...call, status: 'ringing' }, queued, at(900))).toMatchObject({ kind: 'apply' });
  });

  it('waits for no transcript if it has no end of its own', () => {
    const record = known(report({ is_end_estimated: true, ended_at: secondsAfter(start, 900) }));
    for (const call of [hungUp, aClaimedCall()])
      expect(decideFromRecord(call, record, at(900))).toEqual({ kind: 'apply', message: record.message });
  });

  it('uses its own end if it has one', () => {
    expect(decideFromRecord(hungUp, known(report()), at(900))).toEqual({ kind: 'apply', message: report() });
  });

  const progress = { kind: 'progress', platform_id: 'p', status: 'in_progress' } as const;
  const records = [
    [{ kind: 'unknown' } as const, { kind: 'wait' }],
    [{ kind: 'not_found' } as const, { kind: 'wait' }],
    [known(progress), { kind: 'apply', message: progress }],
  ] as const;

  it.each([
    ['of a claimed call', start, DEADLINE],
    ['of an adopted call without a claim', undefined, DEADLINE + 500],
  ])('%s without an end ends the call as lost an hour after its longest duration', (_of, claim, seconds) => {
    const call = aClaimedCall({ dial_claimed_at: claim, progress_at: secondsAfter(start, 500) });
    for (const [record, before] of records) {
      expect(decideFromRecord(call, record, at(seconds - 1))).toEqual(before);
      expect(decideFromRecord(call, record, at(seconds))).toEqual({ kind: 'end_as_lost' });
    }
  });

  describe('of a call that may wait for two hours', () => {
    const DIAL_BY = 2 * 3_600;
    const waiting = aClaimedCall({ dial_claimed_at: start, platform_id: 'p', dial_by: secondsAfter(start, DIAL_BY) });
    const noted = { ...waiting, queued_at_platform: secondsAfter(start, 5) };
    const stop = { outcome: 'do_not_call', reason: 'The flag is set.', read_at: start } as const;
    const stopped = { ...noted, lead_stop: stop };
    const hungUp = { ...noted, stop_asked_at: start };
    const switchedOff = { ...noted, switched_off_at: start };
    const queued = { kind: 'progress', platform_id: 'p', status: 'dialing' } as const;
    const ringing = { ...queued, status: 'ringing' } as const;
    const unread = { kind: 'unknown' } as const;
    const late = DIAL_BY + 3_600;

    it.each([
      [
        'is noted if it says queued for the first time',
        waiting,
        known(queued),
        0,
        { kind: 'note_queued', message: queued },
      ],
      [
        'is noted if it says queued for the first time after the usual deadline',
        waiting,
        known(queued),
        DEADLINE,
        { kind: 'note_queued' },
      ],
      ['changes nothing if it says queued again', noted, known(queued), 0, { kind: 'stay_queued' }],
      [
        'changes nothing if it says queued again after the usual deadline',
        noted,
        known(queued),
        DEADLINE,
        { kind: 'stay_queued' },
      ],
      [
        'changes nothing if it says queued just before dial_by',
        noted,
        known(queued),
        DIAL_BY - 1,
        { kind: 'stay_queued' },
      ],
      ['ends the queued call if its lead must not be called', stopped, known(queued), 0, { kind: 'end_queued' }],
      ['ends the queued call if a person hung it up', hungUp, known(queued), 0, { kind: 'end_queued' }],
      [
        'ends the queued call if its connection was switched off',
        switchedOff,
        known(queued),
        0,
        { kind: 'end_queued' },
      ],
      ['ends the queued call at dial_by', noted, known(queued), DIAL_BY, { kind: 'end_queued' }],
      [
        'ends the queued call at dial_by, even if it says queued for the first time',
        waiting,
        known(queued),
        DIAL_BY,
        { kind: 'end_queued' },
      ],
      ['ends the queued call until an hour after dial_by', noted, known(queued), late - 1, { kind: 'end_queued' }],
      [
        'ends the call as lost if it says queued an hour after dial_by',
        noted,
        known(queued),
        late,
        { kind: 'end_as_lost' },
      ],
      [
        'is applied if it says that the phone rings, until an hour after dial_by',
        noted,
        known(ringing),
        late - 1,
        { kind: 'apply' },
      ],
      [
        'ends the call as lost if it says that the phone rings an hour after dial_by',
        noted,
        known(ringing),
        late,
        { kind: 'end_as_lost' },
      ],
      ['is read again until an hour after dial_by if it cannot be read', noted, unread, late - 1, { kind: 'wait' }],
      [
        'ends the call as lost if it cannot be read an hour after dial_by',
        noted,
        unread,
        late,
        { kind: 'end_as_lost' },
      ],
      [
        'ends a call that was never queued as lost at the usual deadline if it cannot be read',
        waiting,
        unread,
        DEADLINE,
        { kind: 'end_as_lost' },
      ],
      [
        'ends a call that was never queued as lost at the usual deadline if it says that the phone rings',
        waiting,
        known(ringing),
        DEADLINE,
        { kind: 'end_as_lost' },
      ],
    ])('%s', (_what, call, record, seconds, step) => {
      expect(decideFromRecord(call, record, at(seconds))).toMatchObject(step);
    });

    it('ends a call that was queued as lost at the usual deadline after its ring', () => {
      const rang = { ...noted, status: 'ringing' as const, progress_at: secondsAfter(start, 4_000) };
      expect(decideFromRecord(rang, unread, at(4_000 + DEADLINE - 1))).toEqual({ kind: 'wait' });
      expect(decideFromRecord(rang, unread, at(4_000 + DEADLINE))).toEqual({ kind: 'end_as_lost' });
    });

    it('ends the call as lost at the usual deadline if that is later than an hour after dial_by', () => {
      const long = { ...waiting, max_duration_seconds: 12 * 3_600 };
      const deadline = 13 * 3_600;
      expect(decideFromRecord(long, known(queued), at(deadline - 1))).toMatchObject({ kind: 'end_queued' });
      expect(decideFromRecord(long, known(queued), at(deadline))).toEqual({ kind: 'end_as_lost' });
    });
  });

  it('with an end counts even after the deadline', () => {
    const message = report({ ended_at: secondsAfter(start, DEADLINE) });
    const decision = decideFromRecord(aClaimedCall({ dial_claimed_at: start }), known(message), at(DEADLINE));
    expect(decision).toEqual({ kind: 'apply', message });
  });
});

it.each([
  ['the platform has it queued', 'dialing', 'dialing', true],
  ['the platform says that it rings', 'dialing', 'ringing', false],
  ['a message has reported ringing', 'ringing', 'dialing', false],
] as const)('a call can be ended before it rings if and only if it is queued: %s', (_when, stored, said, is) => {
  expect(isQueued({ status: stored }, { kind: 'progress', platform_id: 'p1', status: said, at: start })).toBe(is);
});
