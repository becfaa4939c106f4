import fc from 'fast-check';
import { phoneNumbers } from '../../../../bin/admin/values.ts';
import { readOutboundRequest } from '../../../../shared/domain/calls/placing/outbound-request.ts';
import {
  canonicalE164,
  isRegion,
  nationalDigits,
  numbersIn,
  prefixesOf,
  toE164,
} from '../../../../shared/domain/text/national-number.ts';
import { isE164 } from '../../../../shared/domain/text/phone-number.ts';
import { anyText } from '../../../support/values/any-text.ts';
import { forAll } from '../../../support/values/for-all.ts';

/** @returns the texts between the commas and line ends of a list */
const listed = (list: string) => list.split(/[,\n]/).flatMap((text) => text.trim() || []);

/** The country code or other parts in parentheses; the trunk prefix before and after the country code. */
const indian = listed(`
  +919876543210, +91-9876543210, +91 98765 43210, +91-98765-43210, +91 (0) 98765 43210, 919876543210, 9876543210
  09876543210, 98765 43210, 98765-43210, 98765.43210, (0)98765-43210, 00919876543210, 00 91 98765 43210, ９８７６５４３２１０
  (+91) 98765 43210, (+91)9876543210, (+91)-98765-43210, (91) 9876543210, +91 (98765) 43210, +91(98765)43210
  (0091) 98765 43210, (98765) 43210, (9876543210)
  0919876543210, 091 98765 43210, 0 91 98765 43210, (091) 98765-43210, (0)(91) 9876543210, 000919876543210
  +9109876543210, +91 (098765) 43210, 0091 (0) 98765 43210`);

describe('a number as people and CRMs write it', () => {
  it.each([...indian, '  98765 43210  ', ' 0919876543210', '98765\u00a043210'])('is read for India: %j', (text) => {
    expect(toE164(text, 'IN')).toBe('+919876543210');
  });

  it.each([
    ['US', '(212) 555-0123', '+12125550123'],
    ['US', '1 212 555 0123', '+12125550123'],
    ['US', '011 91 98765 43210', '+919876543210'],
    ['GB', '020 7946 0958', '+442079460958'],
    ['GB', '0044 20 7946 0958', '+442079460958'],
    ['DE', '030 123456', '+4930123456'],
    ['AE', '050 123 4567', '+971501234567'],
    ['IN', '+1 212 555 0123', '+12125550123'],
    ['GB', '+91-9876543210', '+919876543210'],
    ['GB', '0 44 20 7946 0958', '+442079460958'],
    ['GB', '+44 (0)20 7946 0958', '+442079460958'],
    ['US', '(+1) (212) 555-0123', '+12125550123'],
    ['AE', '0971 50 123 4567', '+971501234567'],
    // Some people write a slash behind the area code.
    ['IN', '080/12345678', '+918012345678'],
    ['IN', '098765/43210', '+919876543210'],
    ['IN', '0484/2345678', '+914842345678'],
    ['DE', '030/123456', '+4930123456'],
  ])('is read for %s: %j', (region, text, number) => {
    expect(toE164(text, region)).toBe(number);
  });

  it.each([
    '\u202a+91 98765 43210\u202c',
    '\u200e+919876543210',
    '98765\u200b43210',
    '98765\u00ad43210',
    '\ufeff9876543210',
    '\u2066098765 43210\u2069',
  ])('is read without the invisible characters of a contact list: %j', (text) => {
    expect(toE164(text, 'IN')).toBe('+919876543210');
  });

  it('may contain these characters anywhere', () => {
    const marks = fc.constantFrom(...'\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202c\u2060\u2066\u2069\ufeff');
    forAll([fc.array(fc.tuple(fc.nat({ max: 14 }), marks), { maxLength: 8 })], (inserted) => {
      const characters = [...'+91-98765 43210'];
      for (const [position, mark] of inserted) characters.splice(position, 0, mark);
      expect(toE164(characters.join(''), 'IN')).toBe('+919876543210');
    });
  });

  it.each([
    ['022 2345 6789', '+912223456789', 'Mumbai'],
    ['044 2345 6789', '+914423456789', 'Chennai, not the UK'],
    ['09123456789', '+919123456789', 'a mobile phone'],
  ])('is national if only its beginning resembles a country code after a trunk prefix: %s', (text, number) => {
    expect(toE164(text, 'IN')).toBe(number);
  });

  it('of a mobile phone may begin with the trunk prefix, the country code or both', () => {
    const prefixes = fc.constantFrom('0', '91', '091', '0091', '(+91)');
    forAll([prefixes, fc.stringMatching(/^[6-9][0-9]{9}$/)], { numRuns: 500 }, (prefix, national) => {
      expect(toE164(prefix + national, 'IN')).toBe(`+91${national}`);
    });
  });

  it('never becomes a number of another country by an extra or missing digit', () => {
    expect(toE164('079704195533', 'IN')).toBe('+9179704195533');
    const mistyped = fc.stringMatching(/^0[6-9]([0-9]{8}|[0-9]{10})$/);
    forAll([mistyped], { numRuns: 1000 }, (text) => {
      expect(toE164(text, 'IN') ?? '+91').toMatch(/^\+91/);
    });
  });

  it.each(['98765 43210 ext. 12', '9876543210x5', '+919876543210;ext=5'])(
    'is read without its extension: %s',
    (text) => {
      expect(toE164(text, 'IN')).toBe('+919876543210');
    },
  );
});

describe('a number with a trunk prefix after its country code', () => {
  it.each([
    ['+9109876543210', '+919876543210'],
    ['+91009876543210', '+919876543210'],
    ['+4401632960123', '+441632960123'],
    ['+919876543210', '+919876543210'],
    // In Italy the zero belongs to the number.
    ['+390612345678', '+390612345678'],
  ])('equals the number without the prefix: %s is %s', (spelled, number) => {
    expect(canonicalE164(spelled)).toBe(number);
  });

  const countryCodes = fc.constantFrom('1', '39', '44', '49', '54', '55', '61', '65', '86', '91', '254', '971');
  const numbers = fc
    .tuple(countryCodes, fc.stringMatching(/^0{0,3}\d{6,10}$/))
    .map(([code, digits]) => `+${code}${digits}`.slice(0, 16));

  it('has one spelling, in E.164, for every source of numbers', () => {
    forAll([numbers], (number) => {
      const canonical = canonicalE164(number);
      expect(isE164(canonical)).toBe(true);
      expect(canonicalE164(canonical)).toBe(canonical);
      expect([undefined, canonical]).toContain(toE164(number, 'IN'));
    });
  });

  it('is placed, listed and claimed in that spelling, even if a REST client or an operator sends it', () => {
    expect(phoneNumbers('--platform-numbers', '+9109876543210')).toEqual(['+919876543210']);
    const body = { phone_number: '+9109876543210', assistant_id: 'asst_1' };
    const read = readOutboundRequest(body, { allowLoopback: false });
    expect(read).toMatchObject({ ok: true, request: { phone_number: '+919876543210' } });
  });
});

describe('a number behind several zeros', () => {
  it.each([
    // Two zeros announce a country code: 98 is Iran's.
    ['IN', '00 98765 43210'],
    ['DE', '0030 123456'],
    ['US', '0212 555 0123'],
    ['IN', '+0 91 98765 43210'],
  ])('is not read as a number of the region without its zeros: %s, %j', (region, text) => {
    expect(toE164(text, region)).toBeUndefined();
  });
});

describe('a field with several numbers', () => {
  it.each([
    ['98765 43210', ['+919876543210']],
    ['98765/43210', ['+919876543210']],
    ['98765 43210 / 91234 56789', ['+919876543210', '+919123456789']],
    ['98765 43210, 91234 56789', ['+919876543210', '+919123456789']],
    ['office|98765 43210', ['+919876543210']],
    ['n/a; 98765 43210', ['+919876543210']],
    ['n/a, unknown', []],
    ['', []],
  ])('has all of them, in their order: %j', (text, numbers) => {
    expect([...numbersIn(text, 'IN')]).toEqual(numbers);
  });
});

describe('a text that is not a number', () => {
  const others = listed(`
    -, +, +91, 0, 00, +0, 1, 12345, +91 12345, 98765432101234567, +9198765432101234567, +999 98765 43210
    n/a, unknown, null, [object Object], /, (), (0), 1e+21, -9876543210x`);
  const repeated = ['8'.repeat(300), '9876543210 '.repeat(100)];
  it.each(['', ' ', ',;|/', 'n/a, unknown', '\u200e', ...others, ...repeated])('is not read: %j', (text) => {
    expect(toE164(text, 'IN')).toBeUndefined();
  });

  it.each(['1-800-FLOWERS', '98765 CALLS', '9876543210a', '98765o43210'])('contains letters: %j', (text) => {
    expect(toE164(text, 'US')).toBeUndefined();
    expect(toE164(text, 'IN')).toBeUndefined();
  });

  it.each([
    'call 9876543210',
    '9876543210 after six',
    'Asha: +91-9876543210',
    '9876543210\n9812345678',
    '9876543210 or 9812345678',
    '9876543210 / 9812345678',
    '9876543210, 9812345678',
    '9876543210 & 9812345678',
    '<a href="tel:+919876543210">',
  ])('only contains one or several numbers: %j', (text) => {
    expect(toE164(text, 'IN')).toBeUndefined();
  });
});

describe('any text in any region', () => {
  const regions = fc.oneof(
    fc.constantFrom('IN', 'US', 'GB', 'ZZ', '', 'in', 'India', '__proto__', 'constructor', '001'),
    fc.string({ maxLength: 3 }),
  );
  const texts = fc.oneof(
    anyText(),
    fc.stringMatching(/^[+0-9 ().,;|extx#*/-]{0,24}$/),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
  );

  it('yields E.164 or undefined and never throws', () => {
    forAll([texts, regions], { numRuns: 1000 }, (text, region) => {
      const number = toE164(text, region);
      expect(number === undefined || isE164(number)).toBe(true);
    });
  });

  it('yields E.164 numbers unchanged, for any region', () => {
    const numbers = fc.stringMatching(/^[6-9][0-9]{9}$/);
    forAll([numbers, regions], (national, region) => {
      expect(toE164(national, 'IN')).toBe(`+91${national}`);
      expect(toE164(`+91${national}`, region)).toBe(`+91${national}`);
    });
  });

  it('yields only numbers with a country code if the region is unknown', () => {
    for (const region of ['ZZ', '', 'in', '__proto__', 'constructor']) {
      expect(toE164('+91-9876543210', region)).toBe('+919876543210');
      expect(toE164('98765 43210', region)).toBeUndefined();
    }
  });
});

describe('the region of an organization', () => {
  it.each([
    ['IN', true],
    ['DE', true],
    ['XX', false],
    ['in', false],
    ['', false],
  ])('%s has phone numbers: %s', (region, has) => {
    expect(isRegion(region)).toBe(has);
  });

  it('that does not exist reads only numbers with a country code', () => {
    expect(toE164('+919876543210', 'XX')).toBe('+919876543210');
    for (const text of ['09876543210', '0919876543210']) expect(toE164(text, 'XX')).toBeUndefined();
  });
});

describe('the digits after a trunk prefix', () => {
  it.each([
    ['+919876543210', '9876543210'],
    ['+493012345678', '3012345678'],
    // A number that belongs to no country.
    ['+9991234567', '9991234567'],
  ])('of %s are %s', (phone, digits) => {
    expect(nationalDigits(phone)).toBe(digits);
  });
});

describe('the beginnings of numbers that people type', () => {
  it.each([
    ['98765', 'IN', ['+9198765', '+98765']],
    ['098765', 'IN', ['+9198765', '+098765']],
    ['00987', 'IN', ['+91987', '+00987']],
    ['98700', 'IN', ['+9198700', '+98700']],
    ['98765-43210', 'IN', ['+919876543210', '+9876543210']],
    ['919876543210', 'IN', ['+919876543210', '+91919876543210']],
    ['0', 'IN', ['+0']],
    ['', 'IN', ['+']],
    ['98765', 'XX', ['+98765']],
  ])('%j in %s are %j', (typed, region, prefixes) => {
    expect(prefixesOf(typed, region)).toEqual(prefixes);
  });
});

describe('the canonical spelling', () => {
  it('of text that is not a number is the text itself', () => {
    for (const text of ['', '+', 'erased#x', '+999']) expect(canonicalE164(text)).toBe(text);
  });
});
