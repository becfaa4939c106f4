import { brotliDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { destinationTable } from '../../../../scripts/destinations/table.ts';
import { destinationOf } from '../../../../shared/domain/text/destination.ts';
import { TABLE } from '../../../../shared/domain/text/destination-table.ts';
import { randomOf } from '../../../simulation/random.ts';
import { anyNumber, passesWrongly, refusedWrongly } from '../../../support/values/destination-oracle.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { barredNumbers } from '../../../support/values/numbers.ts';

describe('the table of destinations', () => {
  it('matches the installed libphonenumber; otherwise run `npm run destinations`', () => {
    const plain = brotliDecompressSync(Buffer.from(TABLE, 'base64'));
    expect(plain.equals(destinationTable().plain)).toBe(true);
  });

  // Every night, `npm run bench:destinations` tries a million, of other seeds.
  it('rejects all of 100,000 random numbers that are premium, shared-cost, satellite, personal or unassigned', () => {
    forAll([fc.integer()], { numRuns: 100 }, (seed) => {
      const random = randomOf(seed).next;
      const wrong: string[] = [];
      for (let tried = 0; tried < 1_000; tried += 1) {
        const number = anyNumber(random);
        if (passesWrongly(number)) wrong.push(number);
      }
      expect(wrong).toEqual([]);
    });
  });

  it('accepts all numbers of people and companies', () => {
    forAll([fc.integer()], { numRuns: 60 }, (seed) => {
      const random = randomOf(seed).next;
      expect(Array.from({ length: 100 }, () => anyNumber(random)).filter(refusedWrongly)).toEqual([]);
    });
  });

  it.each([
    ['+12125550123', 'US'],
    ['+14165550123', 'CA'],
    ['+18765550123', 'JM'],
    ['+18092345678', 'DO'],
    ['+17872345678', 'PR'],
    ['+79161234567', 'RU'],
    ['+77011234567', 'KZ'],
    ['+442079460958', 'GB'],
    ['+441481256789', 'GG'],
    ['+441534256789', 'JE'],
    ['+441624756789', 'IM'],
    ['+390612345678', 'IT'],
    ['+390669812345', 'VA'],
    ['+4779123456', 'SJ'],
    ['+262269601234', 'YT'],
    ['+59995161234', 'CW'],
    ['+5997151234', 'BQ'],
    ['+971501234567', 'AE'],
    ['+911800123456', 'IN'],
  ])('distinguishes countries that share a calling code: %s is in %s', (number, country) => {
    expect(destinationOf(number)).toEqual({ country, isOrdinary: true });
  });

  it.each(Object.entries(barredNumbers))('rejects a number that is %s', (_, numbers) => {
    expect(numbers.filter((number) => destinationOf(number).isOrdinary)).toEqual([]);
  });

  it.each(['+', '+9', '+91', '+9198765432', '+9198765432100', '+000000000', '', '+9198765x3210'])(
    'rejects text that is not a number: %j',
    (text) => {
      expect(destinationOf(text).isOrdinary).toBe(false);
    },
  );
});
