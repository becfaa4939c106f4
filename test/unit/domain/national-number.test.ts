import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toE164 } from '../../../shared/domain/national-number.ts';
import { isE164 } from '../../../shared/domain/phone-number.ts';

describe('a number as people and CRMs write it', () => {
  it.each([
    '+919876543210',
    '+91-9876543210',
    '+91 98765 43210',
    '+91-98765-43210',
    '+91 (0) 98765 43210',
    '919876543210',
    '9876543210',
    '09876543210',
    '98765 43210',
    '98765-43210',
    '98765.43210',
    '(0)98765-43210',
    '00919876543210',
    '00 91 98765 43210',
    '  98765 43210  ',
    '98765\u00a043210',
    '９８７６５４３２１０',
  ])('is read for India: %j', (text) => {
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
  ])('is read for %s: %j', (region, text, number) => {
    expect(toE164(text, region)).toBe(number);
  });

  it('is the number alone where an extension stands behind it', () => {
    for (const text of ['98765 43210 ext. 12', '9876543210x5', '+919876543210;ext=5'])
      expect(toE164(text, 'IN')).toBe('+919876543210');
  });
});

describe('what is no number', () => {
  it.each([
    '',
    ' ',
    '-',
    '+',
    '+91',
    '0',
    '00',
    '+0',
    '1',
    '12345',
    '+91 12345',
    '98765432101234567',
    '+9198765432101234567',
    '+999 98765 43210',
    '8'.repeat(300),
    `${'9876543210 '.repeat(100)}`,
    'n/a',
    'unknown',
    'null',
    '[object Object]',
    '1e+21',
    '-9876543210x',
  ])('is not read: %j', (text) => {
    expect(toE164(text, 'IN')).toBeUndefined();
  });

  it.each(['1-800-FLOWERS', '98765 CALLS', '9876543210a', '98765o43210'])('has letters: %j', (text) => {
    expect(toE164(text, 'US')).toBeUndefined();
    expect(toE164(text, 'IN')).toBeUndefined();
  });

  it.each([
    'call 9876543210',
    '9876543210 after six',
    'Asha: +91-9876543210',
    '9876543210 / 9812345678',
    '9876543210, 9812345678',
    '9876543210\n9812345678',
    '<a href="tel:+919876543210">',
  ])('only contains one, or more than one: %j', (text) => {
    expect(toE164(text, 'IN')).toBeUndefined();
  });
});

describe('any text in any region', () => {
  const regions = fc.oneof(
    fc.constantFrom('IN', 'US', 'GB', 'ZZ', '', 'in', 'India', '__proto__', 'constructor', '001'),
    fc.string({ maxLength: 3 }),
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[+0-9 ().;extx#*/-]{0,24}$/),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
  );

  it('gives E.164 or nothing, and never throws', () => {
    fc.assert(
      fc.property(texts, regions, (text, region) => {
        const number = toE164(text, region);
        expect(number === undefined || isE164(number)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives the same again for what it gave: E.164 is read as itself, whatever the region', () => {
    const numbers = fc.stringMatching(/^[6-9][0-9]{9}$/);
    fc.assert(
      fc.property(numbers, regions, (national, region) => {
        expect(toE164(national, 'IN')).toBe(`+91${national}`);
        expect(toE164(`+91${national}`, region)).toBe(`+91${national}`);
      }),
    );
  });

  it('reads only numbers with a country code where the region is unknown', () => {
    for (const region of ['ZZ', '', 'in', '__proto__', 'constructor']) {
      expect(toE164('+91-9876543210', region)).toBe('+919876543210');
      expect(toE164('98765 43210', region)).toBeUndefined();
    }
  });
});
