import { measuresOfChange } from '../../../../shared/domain/calls/call-measures.ts';
import { aCall } from '../../support/call.ts';

const created_at = '2026-03-02T05:00:00.000Z';
const dialed = {
  created_at,
  platform_id: 'p1',
  dial_claimed_at: '2026-03-02T05:00:40.000Z',
  status: 'dialing',
} as const;
const ended = { ...dialed, status: 'completed', ended_at: '2026-03-02T05:02:00.000Z', cost: 1_500 } as const;
const finished = { ...ended, finished_at: '2026-03-02T05:02:30.000Z' } as const;

describe('a change of a call', () => {
  it('that the platform has accepted is measured from its placing', () => {
    expect(measuresOfChange(aCall({ created_at }), aCall(dialed))).toEqual([{ name: 'SecondsToDial', value: 40 }]);
  });

  it('that had to wait for its call window is measured from its scheduled time', () => {
    const scheduled_for = '2026-03-02T05:00:30.000Z';
    const before = aCall({ created_at, scheduled_for });
    expect(measuresOfChange(before, aCall({ ...dialed, scheduled_for }))).toEqual([
      { name: 'SecondsToDial', value: 10 },
    ]);
  });

  it('that is its end is counted by status, with the credits that it cost', () => {
    expect(measuresOfChange(aCall(dialed), aCall(ended))).toEqual([
      { name: 'CallEnded', value: 1, of: { status: 'completed' } },
      { name: 'CreditsOfCall', value: 1.5 },
    ]);
  });

  it('that is an end without a cost has no cost of a call, which would lower the mean', () => {
    const busy = aCall({ ...dialed, status: 'busy', ended_at: created_at, cost: 0 });
    expect(measuresOfChange(aCall(dialed), busy)).toEqual([{ name: 'CallEnded', value: 1, of: { status: 'busy' } }]);
  });

  it('that finishes it is measured from its end', () => {
    expect(measuresOfChange(aCall(ended), aCall(finished))).toEqual([{ name: 'SecondsToFinish', value: 30 }]);
  });

  it.each([
    ['delivered', 'CallbackDelivered'],
    ['failed', 'CallbackFailed'],
  ] as const)('that tells that its callback is %s is counted as %s', (callback_status, name) => {
    const before = aCall({ ...finished, callback_status: 'pending' });
    expect(measuresOfChange(before, aCall({ ...finished, callback_status }))).toEqual([{ name, value: 1 }]);
  });

  it('that is nothing of these is not measured', () => {
    expect(measuresOfChange(undefined, aCall({ created_at }))).toEqual([]);
    expect(measuresOfChange(aCall(finished), aCall({ ...finished, callback_status: 'pending' }))).toEqual([]);
    expect(measuresOfChange(aCall(finished), aCall({ ...finished, do_not_call_at: created_at }))).toEqual([]);
  });
});
