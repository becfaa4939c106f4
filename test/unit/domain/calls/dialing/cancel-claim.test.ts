import {
  cancelClaimFor,
  cancelClaimKey,
  cancelClaimOfFollower,
  canceledAtOf,
  isCanceledSince,
} from '../../../../../shared/domain/calls/dialing/cancel-claim.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';

const NOW = new Date('2026-03-02T06:30:00.500Z');
const claim = cancelClaimFor(aCall({ call_id: 'call_1', lead: aCalledLead({ event_id: 'evt_1' }) }), NOW);

describe('the claim of a call that a person canceled', () => {
  it('is on the lead of one connection, and lasts as long as a message about an earlier change may be queued', () => {
    const { connection_id, lead_id } = aCalledLead();
    expect(claim).toEqual({
      claim: cancelClaimKey(connection_id, lead_id),
      ...{ owner_id: 'evt_1', call_id: 'call_1', at: NOW.toISOString() },
      expires_at: Date.parse('2026-03-19T06:30:00.000Z') / 1000,
    });
  });

  it.each([
    ['has no lead', aCall()],
    ['is of a test event', aCall({ lead: aCalledLead({ test: true }) })],
  ])('does not exist if the call %s', (_what, call) => {
    expect(cancelClaimFor(call, NOW)).toBeUndefined();
  });

  it('counts against changes up to the time of the cancelation', () => {
    const claims = claim ? [{ at: '2026-03-01T00:00:00.000Z' }, claim] : [];
    expect(isCanceledSince('2026-03-02T06:30:00.500Z', claims)).toBe(true);
    expect(isCanceledSince('2026-03-02T06:30:00.501Z', claims)).toBe(false);
    expect(isCanceledSince('2026-03-02T06:30:00.500Z', [])).toBe(false);
  });
});

describe('the claim on a lead that followed a call', () => {
  const refused = { connection_id: 'conn_2', lead_id: 'lead-2', event_id: 'evt_2' };
  const ended = { ...aCall({ call_id: 'call_1', lead: aCalledLead() }), ended_at: NOW.toISOString() };

  it('is on that lead, from the cancelation on', () => {
    expect(cancelClaimOfFollower('call_1', NOW.toISOString(), refused)).toEqual({
      ...claim,
      ...{ claim: cancelClaimKey('conn_2', 'lead-2'), owner_id: 'evt_2' },
    });
  });

  it.each(['canceled_by_member', 'canceled_by_operator'])('has the time of an end that is %s', (ended_reason) => {
    expect(canceledAtOf({ ...ended, ended_reason })).toBe(ended.ended_at);
  });

  it.each([
    ['another reason', { ended_reason: 'owner_mismatch' }],
    ['no reason', {}],
    ['no lead', { ended_reason: 'canceled_by_member', lead: undefined }],
    ['a test lead', { ended_reason: 'canceled_by_member', lead: aCalledLead({ test: true }) }],
    ['no time', { ended_reason: 'canceled_by_member', ended_at: undefined }],
  ])('does not exist after an end with %s', (_what, over) => {
    const { lead, ended_at, ...call } = { ...ended, ...over };
    const known = { ...(lead && { lead }), ...(ended_at !== undefined && { ended_at }) };
    expect(canceledAtOf({ ...call, ...known })).toBeUndefined();
  });
});
