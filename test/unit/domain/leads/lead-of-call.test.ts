import type { Call } from '../../../../shared/domain/calls/call.ts';
import { leadOfCall } from '../../../../shared/domain/leads/lead-of-call.ts';
import { aCall, aCalledLead } from '../../support/call.ts';

const { phone_number } = aCall();
const known = { owner_id: 'owner-1', fields: { First_Name: 'Asha' } };
const of = (over: Partial<NonNullable<Call['lead']>>) =>
  leadOfCall({ phone_number, lead: aCalledLead({ ...known, ...over }) });

it('a real lead of CRM-B has only its id, because it is fetched again', () => {
  expect(of({ crm: 'crm-b' })).toStrictEqual({ lead_id: 'lead-1', phones: [], do_not_call: false, fields: {} });
});

it.each([{ crm: 'crm-a' }, { crm: 'crm-b', test: true }] as const)(
  'a lead that cannot be fetched keeps the data of its call: %j',
  (over) => {
    const lead = { lead_id: 'lead-1', phones: [phone_number], do_not_call: false };
    expect(of(over)).toStrictEqual({ ...lead, ...known });
    const bare = leadOfCall({ phone_number, lead: aCalledLead(over) });
    expect(bare).toStrictEqual({ ...lead, fields: {} });
  },
);
