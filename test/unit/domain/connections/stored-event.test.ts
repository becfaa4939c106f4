import { hasNumber } from '../../../../shared/domain/connections/stored-event.ts';

const PHONE = '+919876543210';
const has = (lead: unknown, phone = PHONE, region = 'IN') => hasNumber(JSON.stringify({ lead }), phone, region);

describe('the stored event of a lead', () => {
  it.each([
    { phones: [PHONE] },
    { phones: ['98123 45678', 'n/a', '098765 43210'] },
    { phones: ['98123 45678 / 98765 43210'] },
    { phones: ['98123 45678'], fields: { mx_Alternate: '(+91) 98765-43210', FirstName: 'Asha' } },
    { fields: { Mobile: '９８７６５４３２１０' } },
  ])('has a number in each of its phones and fields, as people write it: %j', (lead) => {
    expect(has(lead)).toBe(true);
  });

  it.each([
    {},
    undefined,
    { phones: ['98123 45678'], fields: { Phone: '98123 45678', CreatedOn: '2026-10-06 17:45:19' } },
    { phones: [`${PHONE}1`], fields: { Notes: `Her brother has ${PHONE}.` } },
    { phones: PHONE },
  ])('does not have a number that is only part of a phone or a field, or has an unknown form: %j', (lead) => {
    expect(has(lead)).toBe(false);
  });

  it('is read with the region of the organization, also for countries with short numbers', () => {
    expect([
      has({ phones: ['2125550123'] }, '+12125550123', 'US'),
      has({ phones: ['2125550123'] }, '+12125550123'),
    ]).toEqual([true, false]);
    expect(has({ phones: ['4002'] }, '+6834002', 'NU')).toBe(true);
  });

  it.each(['', 'not JSON', 'null', '[]', '{}'])('has no number if it cannot be read: %j', (stored) => {
    expect(hasNumber(stored, PHONE, 'IN')).toBe(false);
  });
});
