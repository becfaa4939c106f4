import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { measuresOfChange } from '../../../../../shared/domain/calls/usage/call-measures.ts';
import { aCall } from '../../../support/call.ts';

const created_at = '2026-03-02T05:00:00.000Z';
const dialed = {
  created_at,
  platform_id: 'p1',
  dial_claimed_at: '2026-03-02T05:00:40.000Z',
  status: 'dialing',
} as const;
const talking = aCall({ ...dialed, status: 'in_progress' });
const ended = { ...dialed, status: 'completed', ended_at: '2026-03-02T05:02:00.000Z', cost: 1_500 } as const;
const finished = { ...ended, finished_at: '2026-03-02T05:02:30.000Z' } as const;

describe("the measurement of a call's change", () => {
  it("by the platform's acceptance begins at the call's placing", () => {
    expect(measuresOfChange(aCall({ created_at }), aCall(dialed))).toEqual([{ name: 'SecondsToDial', value: 40 }]);
  });

  it('by the acceptance after a call window begins at the scheduled time', () => {
    const scheduled_for = '2026-03-02T05:00:30.000Z';
    const before = aCall({ created_at, scheduled_for });
    expect(measuresOfChange(before, aCall({ ...dialed, scheduled_for }))).toEqual([
      { name: 'SecondsToDial', value: 10 },
    ]);
  });

  it('by the end counts by status, with the credits that the call cost', () => {
    expect(measuresOfChange(talking, aCall(ended))).toEqual([
      { name: 'CallEnded', value: 1, of: { status: 'completed' } },
      { name: 'CreditsOfCall', value: 1.5 },
    ]);
  });

  it('by an end without a cost contains no cost, because zero would lower the mean', () => {
    const busy = aCall({ ...dialed, status: 'busy', ended_at: created_at, cost: 0 });
    const before = aCall({ ...dialed, status: 'ringing' });
    expect(measuresOfChange(before, busy)).toEqual([{ name: 'CallEnded', value: 1, of: { status: 'busy' } }]);
  });

  it('by the finish begins at the end of the call', () => {
    expect(measuresOfChange(aCall(ended), aCall(finished))).toEqual([
      { name: 'SecondsToFinish', value: 30 },
      { name: 'FinishedInTime', value: 1 },
    ]);
  });

  it.each([
    ['in time after 15 minutes', '2026-03-02T05:17:00.000Z', undefined, [1]],
    ['late after more', '2026-03-02T05:17:01.000Z', '2026-03-02T05:14:00.000Z', [0]],
    [
      'late by recover-calls, which found it unfinished first',
      '2026-03-02T05:30:00.000Z',
      '2026-03-02T05:26:00.000Z',
      [],
    ],
  ])('by the finish counts as %s', (_what, finished_at, finish_sent_at, values) => {
    const before = aCall({ ...ended, ...(finish_sent_at && { finish_sent_at }) });
    const measured = measuresOfChange(before, aCall({ ...ended, finished_at }));
    expect(measured.flatMap(({ name, value }) => (name === 'FinishedInTime' ? value : []))).toEqual(values);
  });

  it.each([
    ['delivered', 1, 0],
    ['failed', 0, 1],
  ] as const)(
    'by the callback_status %s has values of both counts, so that a share exists without successes',
    (callback_status, delivered, failed) => {
      const before = aCall({ ...finished, callback_status: 'pending' });
      expect(measuresOfChange(before, aCall({ ...finished, callback_status }))).toEqual([
        { name: 'CallbackDelivered', value: delivered },
        { name: 'CallbackFailed', value: failed },
      ]);
    },
  );

  it('of a new call that has ended does not exist, because it is a copy from a former table', () => {
    const copy = aCall({ ...finished, callback_status: 'delivered' });
    expect(measuresOfChange(undefined, copy)).toEqual([]);
  });

  it('by any other change does not exist', () => {
    expect(measuresOfChange(undefined, aCall({ created_at }))).toEqual([]);
    expect(measuresOfChange(aCall(finished), aCall({ ...finished, callback_status: 'pending' }))).toEqual([]);
    expect(measuresOfChange(aCall(finished), aCall({ ...finished, do_not_call_at: created_at }))).toEqual([]);
  });
});

describe('the measure of a dial in time', () => {
  /** The values for the share of calls that were dialed in time: one of 1 or 0 for each call, or none. */
  const measured = (before: Partial<Call>, after: Partial<Call>) =>
    measuresOfChange(aCall({ created_at, ...before }), aCall({ created_at, ...before, ...after })).flatMap(
      ({ name, value }) => (name === 'DialedInTime' ? [value] : []),
    );
  const waiting = { status: 'queued' } as const;
  const claimed = { status: 'dialing', dial_claimed_at: '2026-03-02T05:00:40.000Z' } as const;
  const late = { ...dialed, dial_claimed_at: '2026-03-02T05:05:01.000Z' } as const;
  const ended_at = '2026-03-02T05:15:00.000Z';
  const failed = (ended_reason: string) => ({ status: 'failed', ended_reason, ended_at, duration: 0 }) as const;
  const canceled = (ended_reason: string) => ({ ...failed(ended_reason), status: 'canceled' }) as const;

  it('is taken when the phone rings: 1 if the dial was within five minutes, otherwise 0', () => {
    expect(measured(dialed, { status: 'ringing' })).toEqual([1]);
    expect(measured(late, { status: 'ringing' })).toEqual([0]);
    expect(measured({ ...late, scheduled_for: '2026-03-02T05:01:00.000Z' }, { status: 'ringing' })).toEqual([1]);
  });

  it('is taken at the end if no message has reported the ring', () => {
    expect(measured(dialed, { status: 'no_answer', ended_at })).toEqual([1]);
    expect(measured(late, { status: 'completed', ended_at })).toEqual([0]);
    expect(measured(dialed, failed('a code of the platform'))).toEqual([1]);
  });

  it('is taken only once', () => {
    expect(measured(claimed, { platform_id: 'p1' })).toEqual([]);
    expect(measured({ ...dialed, status: 'ringing' }, { status: 'in_progress' })).toEqual([]);
    expect(measured({ ...dialed, status: 'ringing' }, failed('lost'))).toEqual([]);
  });

  it('is taken at the ring, not at the dial, if the platform had the call queued', () => {
    const queued = { ...dialed, queued_at_platform: '2026-03-02T05:00:41.000Z' };
    expect(measured(queued, { status: 'ringing', rang_at: '2026-03-02T05:04:00.000Z' })).toEqual([1]);
    expect(measured(queued, { status: 'ringing', rang_at: '2026-03-02T05:14:00.000Z' })).toEqual([0]);
    expect(measured(queued, { status: 'in_progress', answered_at: '2026-03-02T05:14:00.000Z' })).toEqual([0]);
    expect(measured(queued, { status: 'completed', started_at: '2026-03-02T05:14:00.000Z', ended_at })).toEqual([0]);
  });

  it.each([
    ['expires while it waits for a line', waiting, failed('expired')],
    ['cannot reach the platform', claimed, failed('platform_unreachable')],
    ['is refused by the platform', claimed, failed('platform answered 400')],
    ['is lost before its phone rings', dialed, failed('lost')],
    [
      'waits for another call window, because no line was free in this one',
      waiting,
      { status: 'scheduled', scheduled_for: '2026-03-03T04:00:00.000Z' },
    ],
  ] as const)('is 0 if the call %s', (_, before, after) => {
    expect(measured(before, after)).toEqual([0]);
  });

  it.each([
    ['a person cancels the call', waiting, canceled('canceled_by_member')],
    ['its number must not be called', waiting, canceled('do_not_call')],
    ['its destination is not allowed', waiting, canceled('destination_not_allowed')],
    ['its lead has been called already', waiting, canceled('already_called')],
    ['its organization lacks credit', waiting, canceled('insufficient_credits')],
    ['its assistant was deleted', waiting, failed('assistant_missing')],
    ['an operator ends the call', claimed, failed('ended_by_operator')],
    ['the call waits', waiting, { dial_after: '2026-03-02T05:02:00.000Z' }],
    ['its call window opens', { status: 'scheduled' }, { status: 'queued' }],
    ['its scheduled time changes', { status: 'scheduled' }, { scheduled_for: '2026-03-03T04:00:00.000Z' }],
  ] as const)('is absent if %s', (_, before, after) => {
    expect(measured(before, after)).toEqual([]);
  });

  it('is absent if a person cancels the call in the queue of the platform', () => {
    const queued = { ...dialed, queued_at_platform: '2026-03-02T05:00:41.000Z' };
    expect(measured(queued, canceled('a code of the platform'))).toEqual([]);
  });

  it('is absent if the call met a daily spend limit while it waited', () => {
    const limited = { ...waiting, spend_told_on: '2026-03-02' };
    expect(measured(limited, failed('expired'))).toEqual([]);
    expect(measured(limited, { status: 'scheduled', scheduled_for: '2026-03-03T04:00:00.000Z' })).toEqual([]);
    // The call met the limit on the day before, in an earlier window.
    expect(measured({ ...waiting, spend_told_on: '2026-03-01' }, failed('expired'))).toEqual([0]);
  });
});
