import {
  callActivity,
  currentEntries,
  currentEntry,
  spendEntries,
} from '../../../../shared/domain/calls/call-activity.ts';
import { activityEntrySchema, activityExpiry } from '../../../../shared/domain/connections/activity.ts';
import { phoneHash } from '../../../../shared/domain/connections/phone-hash.ts';
import { maskPhone } from '../../../../shared/domain/text/phone-number.ts';
import { aCall, aCalledLead } from '../../support/call.ts';

const NOW = new Date('2026-03-02T06:00:00.000Z');
const lead = aCalledLead({ owner_id: 'owner-1', fields: { First_Name: 'Asha' } });
const occurrence = { suffix: 'dial', source: 'dial', outcome: 'already_called', reason: 'Because.' } as const;

describe('the Activity entry of a later change of a call', () => {
  it('contains lead, call and outcome, with a masked phone and without fields of the lead', () => {
    const call = { ...aCall({ phone_number: '+919812345678' }), lead };
    const entry = callActivity(call, occurrence, NOW);
    expect(activityEntrySchema.parse(entry)).toEqual(entry);
    expect(entry).toStrictEqual({
      connection_id: 'conn_1',
      event_id: 'evt_1.dial',
      org_id: call.org_id,
      at: NOW.toISOString(),
      event: 'new_lead',
      test: false,
      lead_id: 'lead-1',
      phone_masked: maskPhone(call.phone_number),
      phone_hash: phoneHash(call.org_id, call.phone_number),
      owner_id: 'owner-1',
      call_id: call.call_id,
      source: 'dial',
      outcome: 'already_called',
      reason: 'Because.',
      payload_keys: [],
      expires_at: activityExpiry(NOW.toISOString()),
    });
    expect(JSON.stringify(entry)).not.toMatch(/9812345678|Asha/);
  });

  it('has no owner if the lead has none', () => {
    expect(callActivity({ ...aCall(), lead: aCalledLead() }, occurrence, NOW)).not.toHaveProperty('owner_id');
  });

  it('expires with the retention of its call, and after 90 days at most', () => {
    const expiry = (activity?: number) =>
      callActivity({ ...aCall(), lead: aCalledLead(), keep: { ...(activity && { activity }) } }, occurrence, NOW)
        .expires_at;
    const days = (count: number) => NOW.getTime() / 1000 + count * 86_400;
    expect([expiry(7), expiry(), expiry(365)]).toEqual([days(7), days(90), days(90)]);
  });

  it('has the same id at every retry of the same change, however late', () => {
    const call = { ...aCall(), lead };
    const later = new Date(NOW.getTime() + 60_000);
    expect(callActivity(call, occurrence, later).event_id).toBe('evt_1.dial');
    expect(callActivity(call, { ...occurrence, suffix: 'release' }, NOW).event_id).toBe('evt_1.release');
  });
});

describe('the entries that show the state of a call', () => {
  const call = { request_id: 'request-1' };

  it('include the entry of its request or event, or instead the entry of its last release', () => {
    expect(currentEntry(call)).toBe('request-1');
    expect(currentEntry({ ...call, lead })).toBe('request-1');
    expect(currentEntry({ ...call, lead: aCalledLead({ entry_id: 'evt_1.release' }) })).toBe('evt_1.release');
  });

  it('include the entry about the last spend limit that a lead met', () => {
    const met = { ...call, lead, spend_told_on: '2026-03-02' };
    expect(spendEntries(met)).toEqual(['evt_1.spend.2026-03-02']);
    expect(currentEntries(met)).toEqual(['request-1', 'evt_1.spend.2026-03-02']);
    expect(currentEntries({ ...call, lead })).toEqual(['request-1']);
    expect(spendEntries({ ...met, lead: undefined })).toEqual([]);
  });
});
