import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readOutboundRequest } from '../../../../shared/domain/calls/outbound-request.ts';
import { canonicalE164, toE164 } from '../../../../shared/domain/text/national-number.ts';
import { isE164 } from '../../../../shared/domain/text/phone-number.ts';

const countryCodes = fc.constantFrom('1', '39', '44', '49', '54', '55', '61', '65', '86', '91', '254', '971');
const numbers = fc
  .tuple(countryCodes, fc.stringMatching(/^0{0,3}\d{6,10}$/))
  .map(([code, digits]) => `+${code}${digits}`.slice(0, 16));

describe('a number with a trunk prefix behind its country code', () => {
  it.each([
    ['+9109876543210', '+919876543210'],
    ['+91009876543210', '+919876543210'],
    ['+4401632960123', '+441632960123'],
    ['+919876543210', '+919876543210'],
    // In Italy the zero belongs to the number.
    ['+390612345678', '+390612345678'],
  ])('is one with the number without it: %s is %s', (spelled, number) => {
    expect(canonicalE164(spelled)).toBe(number);
  });

  it('has one spelling, in E.164, for every source of numbers', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const canonical = canonicalE164(number);
        expect(isE164(canonical)).toBe(true);
        expect(canonicalE164(canonical)).toBe(canonical);
        expect([undefined, canonical]).toContain(toE164(number, 'IN'));
      }),
    );
  });

  it('is placed, listed and claimed in that spelling by REST clients, too', () => {
    const read = readOutboundRequest(
      { phone_number: '+9109876543210', assistant_id: 'asst_1' },
      { allowLoopback: false },
    );
    expect(read).toMatchObject({ ok: true, request: { phone_number: '+919876543210' } });
  });
});
