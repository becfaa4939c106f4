import fc from 'fast-check';
import { claimFor, expiringClaimFor } from '../../../../../shared/domain/calls/dialing/claim.ts';
import { dayClaimKeys, dayClaimsFor } from '../../../../../shared/domain/calls/dialing/day-claims.ts';
import { activityExpiry } from '../../../../../shared/domain/connections/activity.ts';
import { istDay, startOfIstDay } from '../../../../../shared/domain/time/ist-day.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';

describe('a claim', () => {
  it('lives 92 days, in seconds', () => {
    const now = new Date('2026-03-02T06:00:00.900Z');
    const { expires_at } = claimFor('key', { ownerId: 'evt_1', callId: 'call_1', now });
    expect(expires_at).toBe(Date.parse('2026-06-02T06:00:00.000Z') / 1000);
  });

  it('names its owner and its call, and expires after the Activity entry that allows a retry', () => {
    const instants = fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
    forAll([instants], (now) => {
      const claim = claimFor('key', { ownerId: 'evt_1', callId: 'call_1', now });
      expect(claim).toEqual({
        claim: 'key',
        owner_id: 'evt_1',
        call_id: 'call_1',
        at: now.toISOString(),
        expires_at: expect.any(Number),
      });
      expect(Number.isInteger(claim.expires_at)).toBe(true);
      // One more day, because the claim may be for the day before the entry.
      expect(claim.expires_at - activityExpiry(now.toISOString())).toBeGreaterThanOrEqual(24 * 60 * 60);
    });
  });

  it('that is short-lived expires seven days after it last counts', () => {
    const now = new Date('2026-03-02T06:00:00.900Z');
    const claim = expiringClaimFor('key', { ownerId: 'evt_1', callId: 'call_1', now }, now);
    expect(claim.expires_at).toBe(Date.parse('2026-03-09T06:00:00.000Z') / 1000);
  });

  it('on a phone exists until its IST day ends, whenever it is taken, and a week longer', () => {
    const instants = fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
    forAll([instants, fc.nat(10)], (now, ahead) => {
      // A scheduled call claims a future day.
      const day = istDay(new Date(now.getTime() + ahead * 86_400_000));
      const keys = dayClaimKeys(aCall(), aCalledLead(), day);
      const { lead, phone } = dayClaimsFor(keys, day, { ownerId: 'evt_1', callId: 'call_1', now });
      const endOfDay = startOfIstDay(day).getTime() / 1000 + 86_400;
      expect([phone.claim, phone.expires_at]).toEqual([keys.phone, endOfDay + 7 * 86_400]);
      expect(lead).toEqual(claimFor(keys.lead, { ownerId: 'evt_1', callId: 'call_1', now }));
    });
  });
});
