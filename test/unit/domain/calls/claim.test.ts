import fc from 'fast-check';
import { claimFor } from '../../../../shared/domain/calls/claim.ts';
import { activityExpiry } from '../../../../shared/domain/connections/activity.ts';
import { forAll } from '../../../support/for-all.ts';

describe('a claim', () => {
  it('lives 92 days, in seconds', () => {
    const now = new Date('2026-03-02T06:00:00.900Z');
    const { expires_at } = claimFor('key', { ownerId: 'evt_1', callId: 'call_1', now });
    expect(expires_at).toBe(Date.parse('2026-06-02T06:00:00.000Z') / 1000);
  });

  it('names its owner and its call, and expires after the Activity entry from which the event may be queued again', () => {
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
});
