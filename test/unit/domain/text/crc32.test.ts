import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { crc32 } from '../../../../shared/domain/text/crc32.ts';
import { forAll } from '../../../support/values/for-all.ts';

describe('crc32', () => {
  it('is the one of zlib for any text', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    forAll([fc.string({ unit: 'binary' })], (text) => {
      expect(crc32(text)).toBe(zlibCrc32(text));
    });
  });
});
