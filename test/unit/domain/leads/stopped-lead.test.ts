import type { Lead } from '../../../../shared/domain/leads/lead.ts';
import {
  asLastKnown,
  isCreation,
  isStoppedSince,
  leadTimeOf,
  type StoppedLead,
  stoppedLeadKey,
} from '../../../../shared/domain/leads/stopped-lead.ts';
import { aCalledLead } from '../../support/call.ts';

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

const at = (read_at: string, is_creation?: boolean) => ({ read_at, is_creation });

describe('a stopped lead', () => {
  it('counts for a lead that is older or as old, and for no newer one', () => {
    expect([EARLIER, AT, LATER].map((time) => isStoppedSince(at(time), stop))).toEqual([true, true, false]);
    expect(isStoppedSince(at(EARLIER), undefined)).toBe(false);
  });

  it.each<[string, isCreation: boolean, stop: Partial<StoppedLead>, seconds: number]>([
    ['a creation, after a change that stops it', true, {}, 60],
    [
      'a change, after a creation that stops it by its owner',
      false,
      { is_creation: true, lead: { do_not_call: false } },
      -60,
    ],
    ['a change, after a creation with the do-not-call flag', false, { is_creation: true }, 0],
    ['a creation, after another body without `After`', true, { is_creation: true }, 0],
    ['a creation, after another body without the flag', true, { is_creation: true, lead: { do_not_call: false } }, 0],
  ])('counts for a lead up to some seconds later: %s', (_what, isCreation, over, seconds) => {
    const newest = Date.parse(AT) + seconds * 1000;
    const counts = (ms: number) => isStoppedSince(at(new Date(ms).toISOString(), isCreation), { ...stop, ...over });
    expect([counts(newest), counts(newest + 1)]).toEqual([true, false]);
  });

  it('replaces the owner and the flag of an older lead, and nothing else', () => {
    const { owner_name: _, ...known } = lead;
    expect(asLastKnown(lead, at(EARLIER), stop)).toEqual({ ...known, owner_id: 'owner-2', do_not_call: true });
    const { owner_id: __, ...ownerless } = known;
    expect(asLastKnown(lead, at(EARLIER), { ...stop, lead: { do_not_call: false } })).toEqual(ownerless);
    expect(asLastKnown(lead, at(LATER), stop)).toBe(lead);
    expect(asLastKnown(lead, at(EARLIER), undefined)).toBe(lead);
  });

  it('has a key of its connection and the hash of its id', () => {
    expect(stoppedLeadKey('conn_1', 'hash')).toBe('stopped#conn_1#hash');
  });
});

describe('the time of a lead', () => {
  it.each([
    ['crm-a', 'new_lead', true],
    ['crm-a', 'owner_reassignment', false],
    ['crm-b', 'new_lead', false],
  ] as const)('is that of a creation for %s %s: %s', (crm, event, expected) => {
    expect(isCreation(crm, event)).toBe(expected);
  });

  it('is that of the data of a call, or of a newer event that fits', () => {
    const created = aCalledLead({ crm: 'crm-a', event: 'new_lead', read_at: EARLIER });
    const call = { created_at: LATER };
    expect(leadTimeOf({ ...call, lead: created })).toEqual(at(EARLIER, true));
    expect(leadTimeOf({ ...call, lead: { ...created, fits_at: AT } })).toEqual(at(AT, false));
    expect(leadTimeOf({ ...call, lead: { ...created, event: 'owner_reassignment' } })).toEqual(at(EARLIER, false));
  });
});
