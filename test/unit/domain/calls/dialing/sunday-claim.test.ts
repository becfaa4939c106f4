import { claimFor } from '../../../../../shared/domain/calls/dialing/claim.ts';
import {
  hiddenSundayClaimFor,
  isSundayClaimEnded,
  sundayClaimKey,
} from '../../../../../shared/domain/calls/dialing/sunday-claim.ts';

const TAKEN = new Date('2026-03-08T03:30:00.000Z');
const claim = claimFor(sundayClaimKey('conn_1', 'lead-77'), { ownerId: 'evt_1', callId: 'call_1', now: TAKEN });
const hoursLater = (hours: number, ms = 0) => new Date(TAKEN.getTime() + hours * 3_600_000 + ms);

describe('the claim of the Sunday sweep', () => {
  it('is on the lead of one connection', () => {
    expect(claim.claim).toBe('sunday#conn_1#lead-77');
  });

  it('ends after 20 hours', () => {
    expect(isSundayClaimEnded(claim, hoursLater(20, -1))).toBe(false);
    expect(isSundayClaimEnded(claim, hoursLater(20))).toBe(true);
  });

  it('that an erasure hides has the same owner, call and end, and is removed at its end', () => {
    const hidden = hiddenSundayClaimFor('sunday#conn_1#erased#x', claim);
    expect(hidden).toEqual({
      ...claim,
      claim: 'sunday#conn_1#erased#x',
      expires_at: hoursLater(20).getTime() / 1000,
    });
    expect(isSundayClaimEnded(hidden, hoursLater(20, -1))).toBe(false);
  });
});
