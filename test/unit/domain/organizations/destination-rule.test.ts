import { rateFor, transferNumberOf, whyNotAllowed } from '../../../../shared/domain/organizations/destination-rule.ts';

const org = { default_region: 'IN', countries: ['US'] };
const NEVER =
  'is never called: it is a premium-rate, shared-cost, personal, pager or satellite number, or was never assigned. ' +
  'The operator cannot allow it.';

describe('a number', () => {
  it.each(['+919812345678', '+12125550123'])('of an allowed country may be called: %s', (phone) => {
    expect(whyNotAllowed(org, phone)).toBeUndefined();
  });

  it('of another country may not be called, and the message names the country and the role that can allow it', () => {
    expect(whyNotAllowed(org, '+971501234567')).toEqual({
      country: 'AE',
      message:
        'Numbers in United Arab Emirates (AE) are not called for this organization. The operator can allow them.',
    });
  });

  it.each([
    ['premium-rate', '+19005550123', 'US', `This number (US) ${NEVER}`],
    ['of a satellite', '+881612345678', undefined, `This number ${NEVER}`],
    ['that was never assigned', '+910012345678', 'IN', `This number (IN) ${NEVER}`],
  ])('that is %s is never called, even if its country is allowed', (_, phone, country, message) => {
    for (const countries of [['US', 'IN'], undefined])
      expect(whyNotAllowed({ default_region: 'IN', countries }, phone)).toEqual({ country, message });
  });
});

describe('the transfer number of an assistant', () => {
  const transferred = (transfer_number: string | undefined) => transferNumberOf(org, { transfer_number });

  it('is one that the organization may call, in canonical spelling', () => {
    expect(transferred('+12125550123')).toBe('+12125550123');
    expect(transferred('+9109812300000')).toBe('+919812300000');
  });

  it.each(['+19005550123', '+881612345678', '+971501234567', undefined])('is not %s', (number) => {
    expect(transferred(number)).toBeUndefined();
  });
});

describe('the rate of a call', () => {
  it("is its country's rate, or else the organization's", () => {
    const rated = { rate: 1000, rates: { US: 3000, AE: 0 } };
    const phones = ['+919812345678', '+12125550123', '+971501234567', '+881612345678'];
    expect(phones.map((phone) => rateFor(rated, phone))).toEqual([1000, 3000, 0, 1000]);
    expect(rateFor({ rate: 1000, rates: undefined }, '+12125550123')).toBe(1000);
  });
});
