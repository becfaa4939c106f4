import { withdrawalOf } from '../../../../shared/domain/calls/withdrawal.ts';

describe('what Activity says about a call that was withdrawn', () => {
  it.each([
    [
      'expired',
      'The call was not dialed in time: it waited for a line, the voice platform, the organization or its spend limit.',
    ],
    ['assistant_missing', 'The assistant of the call does not exist any more.'],
    ['do_not_call', 'The number is on the do-not-call list.'],
    ['insufficient_credits', 'The organization had not enough credit when the call was due.'],
    ['platform_unreachable', 'The voice platform was unreachable when the call was dialed, twice.'],
  ])('is why, if it ended as %s', (endedReason, reason) => {
    expect(withdrawalOf(endedReason)).toEqual({ outcome: endedReason, reason });
  });

  it.each(['ended_by_operator', 'customer-ended-call', 'toString'])('is nothing, if it ended as %s', (endedReason) => {
    expect(withdrawalOf(endedReason)).toBeUndefined();
  });
});
