import { withdrawalOf } from '../../../../../shared/domain/calls/dialing/lead-end.ts';

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
  ])('is a reason if the call ended as %s', (endedReason, reason) => {
    expect(withdrawalOf(endedReason)).toEqual({ outcome: endedReason, reason });
  });

  it.each(['ended_by_operator', 'customer-ended-call', 'toString'])(
    'does not exist if the call ended as %s',
    (endedReason) => {
      expect(withdrawalOf(endedReason)).toBeUndefined();
    },
  );
});
