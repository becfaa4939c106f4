import fc from 'fast-check';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import {
  isFinishMessageLost,
  isLateAnalysisDue,
  isReleaseLost,
  needsSlot,
  recoveryStep,
  recoverySteps,
} from '../../../../../shared/domain/calls/recovery/recovery.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aCall, aClaimedCall, aReservedCall } from '../../../support/call.ts';

const start = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => new Date(secondsAfter(start, seconds));
/** Scheduled long before its window opens. */
const aScheduledCall = (over: Partial<Call> = {}) =>
  aCall({
    status: 'scheduled',
    unfinished: 'scheduled',
    scheduled_for: start,
    progress_at: secondsAfter(start, -50_000),
    dial_after: start,
    dial_by: secondsAfter(start, 60),
    ...over,
  });
const ended = (over: Partial<Call> = {}) => aCall({ status: 'completed', unfinished: 'ended', ...over });
const claimed = (over: Partial<Call> = {}) => aClaimedCall({ progress_at: start, ...over });

describe('recovery', () => {
  it.each<[string, Call, number, string]>([
    ['a call with slots that is not dialed', aReservedCall(), 180, 'give_back'],
    ['a call that waited too long', aCall({ dial_by: secondsAfter(start, 60) }), 60, 'expire'],
    ['a call that waited too long in its back-off', aCall({ dial_after: secondsAfter(start, 2000) }), 900, 'expire'],
    ['a call whose window has opened', aScheduledCall(), 180, 'release'],
    ['a claim without an answer', claimed(), 180, 'find'],
    ['an accepted call without messages', claimed({ platform_id: 'p' }), 180, 'read'],
    ['a hang-up without a report', claimed({ platform_id: 'p', hung_up_at: start }), 120, 'read'],
    ['an end that is not finished', ended(), 180, 'finish'],
    ['a finished call with a notification', ended({ finished_at: start, callback_status: 'pending' }), 180, 'notify'],
  ])('repeats the lost step of %s when it is due, not a second earlier', (_what, call, seconds, step) => {
    expect(recoveryStep(call, at(seconds))).toBe(step);
    expect(recoveryStep(call, at(seconds - 1))).toBeUndefined();
  });

  it('reads a live call whose progress cannot be read', () => {
    expect(recoveryStep(claimed({ progress_at: 'soon', platform_id: 'p' }), at(0))).toBe('read');
  });

  it('ignores a call whose work is complete', () => {
    for (const callback_status of ['delivered', 'failed', undefined] as const)
      expect(recoveryStep(ended({ finished_at: start, callback_status }), at(1_000_000))).toBeUndefined();
    expect(recoveryStep(ended({ unfinished: undefined }), at(1_000_000))).toBeUndefined();
  });

  describe.each([
    { system: 'CRM-B', work: 'crm_b_sync', after: 'crm_b_sync_after', step: 'sync' },
    { system: 'the help desk', work: 'ticket_work', after: 'ticket_after', step: 'ticket' },
  ] as const)('of a finished call that was not written to $system', ({ work, after, step }) => {
    const unwritten = (over: Partial<Call> = {}) => ended({ finished_at: start, [work]: 'pending', ...over });

    it.each<[string, Call, number]>([
      ['three minutes after it was finished', unwritten(), 180],
      ['three minutes after its next try was due', unwritten({ [after]: secondsAfter(start, 3600) }), 3780],
    ])('queues the work %s, not a second earlier', (_when, call, seconds) => {
      expect(recoverySteps(call, at(seconds))).toEqual([step]);
      expect(recoverySteps(call, at(seconds - 1))).toEqual([]);
    });

    it('handles the notification and this work independently', () => {
      expect(recoverySteps(unwritten({ callback_status: 'pending' }), at(180))).toEqual(['notify', step]);
      const later = unwritten({ callback_status: 'pending', [after]: secondsAfter(start, 3600) });
      expect(recoverySteps(later, at(180))).toEqual(['notify']);
    });

    it('finishes the call first', () => {
      expect(recoverySteps(unwritten({ finished_at: undefined }), at(1_000))).toEqual(['finish']);
    });

    it('ignores a call whose work is done or was never required', () => {
      for (const state of ['done' as const, undefined])
        expect(recoverySteps(unwritten({ [work]: state }), at(1_000_000))).toEqual([]);
      expect(recoverySteps(unwritten({ unfinished: undefined }), at(1_000_000))).toEqual([]);
    });
  });

  it('handles CRM-B and the help desk independently', () => {
    const both = ended({ finished_at: start, crm_b_sync: 'pending', ticket_work: 'pending' });
    expect(recoverySteps(both, at(180))).toEqual(['sync', 'ticket']);
    expect(recoverySteps({ ...both, ticket_after: secondsAfter(start, 3600) }, at(180))).toEqual(['sync']);
  });

  it('sends an ended call to finish-call with growing intervals, an hour at most', () => {
    const call = ended({ ended_at: start, progress_at: secondsAfter(start, 60) });
    const isLost = (seconds: number, sent?: number) =>
      isFinishMessageLost(
        sent === undefined ? call : { ...call, finish_sent_at: secondsAfter(start, sent) },
        at(seconds),
      );
    expect([isLost(179), isLost(180), isLost(399, 200), isLost(400, 200)]).toEqual([false, true, false, true]);
    expect([isLost(10_799, 7_200), isLost(10_800, 7_200)]).toEqual([false, true]);
    expect(isFinishMessageLost({ ...call, ended_at: undefined }, at(180))).toBe(false);
  });

  it('sends the release of a scheduled call with growing intervals, an hour at most', () => {
    const isLost = (seconds: number, sent?: number) =>
      isReleaseLost(
        { scheduled_for: start, ...(sent !== undefined && { release_sent_at: secondsAfter(start, sent) }) },
        at(seconds),
      );
    expect([isLost(179), isLost(180), isLost(399, 200), isLost(400, 200)]).toEqual([false, true, false, true]);
    expect([isLost(10_799, 7_200), isLost(10_800, 7_200)]).toEqual([false, true]);
    // Messages that were sent for an earlier window.
    expect([isLost(179, -9), isLost(180, -9)]).toEqual([false, true]);
  });

  const instants = (min: number, max: number) =>
    fc.integer({ min, max }).map((seconds) => secondsAfter(start, seconds));
  const anyState = fc.oneof(
    fc.constant({ unfinished: 'waiting' as const }),
    fc.constant({ unfinished: 'reserved' as const, reserved_at: start }),
    fc.constant({ unfinished: 'claimed' as const, dial_claimed_at: start }),
    fc.record({
      unfinished: fc.constant('claimed' as const),
      dial_claimed_at: fc.constant(start),
      platform_id: fc.constant('p'),
      hung_up_at: fc.option(instants(0, 600), { nil: undefined }),
    }),
    fc.constant({ unfinished: 'ended' as const }),
    fc.constant({ unfinished: 'ended' as const, finished_at: start, callback_status: 'pending' as const }),
  );
  const anyTimes = fc.record({
    progress_at: instants(0, 600),
    dial_after: instants(0, 600),
    dial_by: instants(60, 7200),
  });
  const anyUnfinished = fc.tuple(anyState, anyTimes).map(([state, times]) => aCall({ ...state, ...times }));

  it('expires waiting calls, and finds a step for all others after three minutes without progress, not before', () => {
    forAll([anyUnfinished, fc.integer({ min: 0, max: 8000 })], { numRuns: 1000 }, (call, seconds) => {
      const now = at(seconds);
      const since = (instant: string) => (now.getTime() - Date.parse(instant)) / 1000;
      const step = recoveryStep(call, now);
      const isExpired = call.unfinished === 'waiting' && since(call.dial_by) >= 0;
      const isDue = since(call.progress_at) >= 180 && call.unfinished !== 'waiting';
      if (isExpired) expect(step).toBe('expire');
      else if (isDue) expect(step).toBeDefined();
      // A call that was hung up has a step after two minutes.
      else if (!call.hung_up_at || since(call.hung_up_at) < 120) expect(step).toBeUndefined();
    });
  });

  it('finds a step until the call changes', () => {
    forAll([anyUnfinished, fc.nat(8000), fc.nat(8000)], { numRuns: 1000 }, (call, seconds, more) => {
      if (recoveryStep(call, at(seconds))) expect(recoveryStep(call, at(seconds + more))).toBeDefined();
    });
  });

  it('looks for a slot from `dial_after` on, and not from `dial_by` on', () => {
    const call = aCall({ dial_after: at(30).toISOString(), dial_by: at(60).toISOString() });
    expect([29.999, 30, 59.999, 60].map((seconds) => needsSlot(call, at(seconds)))).toEqual([false, true, true, false]);
  });

  it('looks for a slot for exactly the waiting calls between `dial_after` and `dial_by`', () => {
    forAll([anyUnfinished, fc.nat(8000)], (call, seconds) => {
      const now = at(seconds).toISOString();
      const isDue = call.dial_after <= now && now < call.dial_by;
      expect(needsSlot(call, at(seconds))).toBe(call.unfinished === 'waiting' && isDue);
    });
  });

  it('queries the platform and never dials again while a claim exists', () => {
    forAll([anyUnfinished, fc.nat(20_000)], (call, seconds) => {
      if (call.unfinished !== 'claimed') return;
      expect([undefined, 'find', 'read']).toContain(recoveryStep(call, at(seconds)));
    });
  });
});

describe('a finished call whose analysis must be reported or retried', () => {
  const finished = (over: Partial<Call> = {}) => ended({ finished_at: start, analysis_callback: 'pending', ...over });
  const withClient = { callback_url: 'https://client.example/calls' };

  it.each<[string, Call]>([
    ['has a client that was not notified', finished()],
    ['has a late try that is due', finished({ analysis_after: start })],
    ['has a late try that is due before its client is notified', finished({ analysis_after: start, ...withClient })],
  ])('is sent to finish-call if it %s', (_, call) => {
    expect(isLateAnalysisDue(call, at(0))).toBe(true);
  });

  it.each<[string, Call]>([
    ['is not finished', finished({ finished_at: undefined })],
    ['needs no late analysis', finished({ analysis_callback: undefined })],
    ['has a client that was notified', finished(withClient)],
    ['has a late try that is not due yet', finished({ analysis_after: secondsAfter(start, 1) })],
  ])('is not sent if it %s', (_, call) => {
    expect(isLateAnalysisDue(call, at(0))).toBe(false);
  });
});
