import type { Lead } from '../../../../shared/domain/leads/lead.ts';
import {
  asLastKnown,
  isStoppedSince,
  receivedLeadTime,
  stoppedLeadKey,
} from '../../../../shared/domain/leads/stopped-lead.ts';

const AT = '2026-03-02T06:00:00.000Z';
const EARLIER = '2026-03-02T05:59:59.999Z';
const LATER = '2026-03-02T06:00:00.001Z';
const lead: Lead = {
  lead_id: 'lead-1',
  phones: ['+919812345678'],
  owner_id: 'owner-1',
  owner_name: 'Meera',
  do_not_call: false,
  fields: { FirstName: 'Asha' },
};
const stop = { lead: { owner_id: 'owner-2', do_not_call: true }, read_at: AT };

describe('a stopped lead', () => {
  it('counts for a lead that is older or as old, and for no newer one', () => {
    expect([EARLIER, AT, LATER].map((time) => isStoppedSince(time, stop))).toEqual([true, true, false]);
    expect(isStoppedSince(EARLIER, undefined)).toBe(false);
  });

  it('replaces the owner and the flag of an older lead, and nothing else', () => {
    const { owner_name: _, ...known } = lead;
    expect(asLastKnown(lead, EARLIER, stop)).toEqual({ ...known, owner_id: 'owner-2', do_not_call: true });
    const { owner_id: __, ...ownerless } = known;
    expect(asLastKnown(lead, EARLIER, { ...stop, lead: { do_not_call: false } })).toEqual(ownerless);
    expect(asLastKnown(lead, LATER, stop)).toBe(lead);
    expect(asLastKnown(lead, EARLIER, undefined)).toBe(lead);
  });

  it('has a key of its connection and the hash of its id', () => {
    expect(stoppedLeadKey('conn_1', 'hash')).toBe('stopped#conn_1#hash');
  });
});

describe('the time of a lead of CRM-A', () => {
  const FLAGGED = { do_not_call: true };
  const CALLABLE = { do_not_call: false };
  const A_MINUTE_BEFORE = '2026-03-02T05:59:00.000Z';

  it.each([
    ['a minute before it was received, for a creation', 'new_lead', CALLABLE, A_MINUTE_BEFORE],
    ['when it was received, for a creation with the do-not-call flag', 'new_lead', FLAGGED, AT],
    ['when it was received, for a change', 'owner_reassignment', CALLABLE, AT],
  ] as const)('is %s', (_when, event, lead, expected) => {
    expect(receivedLeadTime('crm-a', event, AT, lead)).toBe(expected);
  });

  it('is that of the request for a lead of CRM-B, whatever its event', () => {
    expect(receivedLeadTime('crm-b', 'new_lead', AT, CALLABLE)).toBe(AT);
  });
});
