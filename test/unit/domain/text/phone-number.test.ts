import fc from 'fast-check';
import { isE164, maskPhone } from '../../../../shared/domain/text/phone-number.ts';
import { forAll } from '../../../support/values/for-all.ts';

const e164 = fc.stringMatching(/^\+[1-9][0-9]{6,14}$/);

describe('E.164', () => {
  it('is a plus and 7 to 15 digits, the first of which is not 0', () => {
    forAll([e164], (number) => isE164(number));
    for (const number of ['+1234567', '+123456789012345']) expect(isE164(number)).toBe(true);
  });

  const digits = ['+123456', '+1234567890123456', '+0123456789', '1234567890', '00911234567', '+९१९८१२३४५६७८'];
  const spelled = ['+91 9812345678', '+91-9812345678', '+919812345678\n', ' +919812345678', '++919812345678'];
  const others = ['+91981234567a', 'tel:+919812345678', '', undefined, null, 919812345678, ['+919812345678']];
  it.each<unknown>([...digits, ...spelled, ...others])('is not %j', (value) => {
    expect(isE164(value)).toBe(false);
  });
});

describe('a masked number', () => {
  it('shows its length, its first two and its last three digits', () => {
    expect(maskPhone('+919812345678')).toBe('+91*******678');
    forAll([e164], (number) => {
      const masked = maskPhone(number);
      expect(masked).toHaveLength(number.length);
      expect(masked.slice(-3)).toBe(number.slice(-3));
      expect(masked.slice(3, -3)).toMatch(/^\**$/);
    });
  });

  it('shows no digit and no letter of other text', () => {
    for (const text of ['12', '12345', '098765 43210', 'call me: 98', '+91', '9'.repeat(200)]) {
      expect(maskPhone(text)).toMatch(/^[*\s()+.-]*$/);
      expect(maskPhone(text).length).toBeLessThanOrEqual(20);
    }
    expect(maskPhone('(098765) 4321+')).toBe('(******) ****+');
  });
});
