import { measuresOfChange } from '../../../../../shared/domain/calls/usage/call-measures.ts';
import { aCall } from '../../../support/call.ts';

const created_at = '2026-03-02T05:00:00.000Z';
const dialed = {
  created_at,
  platform_id: 'p1',
  dial_claimed_at: '2026-03-02T05:00:40.000Z',
  status: 'dialing',
} as const;
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
    expect(measuresOfChange(aCall(dialed), aCall(ended))).toEqual([
      { name: 'CallEnded', value: 1, of: { status: 'completed' } },
      { name: 'CreditsOfCall', value: 1.5 },
    ]);
  });

  it('by an end without a cost contains no cost, because zero would lower the mean', () => {
    const busy = aCall({ ...dialed, status: 'busy', ended_at: created_at, cost: 0 });
    expect(measuresOfChange(aCall(dialed), busy)).toEqual([{ name: 'CallEnded', value: 1, of: { status: 'busy' } }]);
  });

  it('by the finish begins at the end of the call', () => {
    expect(measuresOfChange(aCall(ended), aCall(finished))).toEqual([{ name: 'SecondsToFinish', value: 30 }]);
  });

  it.each([
    ['delivered', 'CallbackDelivered'],
    ['failed', 'CallbackFailed'],
  ] as const)('by the callback_status %s counts as %s', (callback_status, name) => {
    const before = aCall({ ...finished, callback_status: 'pending' });
    expect(measuresOfChange(before, aCall({ ...finished, callback_status }))).toEqual([{ name, value: 1 }]);
  });

  it('by any other change does not exist', () => {
    expect(measuresOfChange(undefined, aCall({ created_at }))).toEqual([]);
    expect(measuresOfChange(aCall(finished), aCall({ ...finished, callback_status: 'pending' }))).toEqual([]);
    expect(measuresOfChange(aCall(finished), aCall({ ...finished, do_not_call_at: created_at }))).toEqual([]);
  });
});
