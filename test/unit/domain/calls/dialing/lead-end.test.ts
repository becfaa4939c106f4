import { LOST, REFUSED_BY_PLATFORM, withdrawalOf } from '../../../../../shared/domain/calls/dialing/lead-end.ts';

describe('Activity’s explanation of a withdrawn call', () => {
  it.each([
    [
      'expired',
      'The call was not dialed in time: it waited for a line, the voice platform, the organization or its spend limit.',
    ],
    ['assistant_missing', 'The assistant of the call no longer exists.'],
    ['do_not_call', 'The number is on the do-not-call list.'],
    ['insufficient_credits', 'The organization did not have enough credit when the call was due.'],
    ['platform_unreachable', 'The voice platform was unreachable both times that the call was dialed.'],
  ])('gives the reason if the call ended as %s', (endedReason, reason) => {
    expect(withdrawalOf(endedReason)).toEqual({ outcome: endedReason, reason });
  });

  it.each(['ended_by_operator', 'customer-ended-call', 'toString'])(
    'does not exist if the call ended as %s',
    (endedReason) => {
      expect(withdrawalOf(endedReason)).toBeUndefined();
    },
  );
});

test('Activity explains a dialed call whose phone did not ring, as far as the platform reported', () => {
  expect([REFUSED_BY_PLATFORM, LOST]).toEqual([
    {
      outcome: 'refused_by_platform',
      reason: 'The voice platform refused this call, for example because of its number.',
    },
    {
      outcome: 'lost',
      reason: 'The voice platform did not report the outcome of the call. The phone may have rung.',
    },
  ]);
});
