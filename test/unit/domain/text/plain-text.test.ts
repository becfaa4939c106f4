import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { plainText } from '../../../../shared/domain/text/plain-text.ts';
import { forAll } from '../../../support/for-all.ts';

/** Characters that SQS accepts (API reference, SendMessage), without controls, because JSON escapes them. */
const TAKEN = /^[\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'ü', 'क', '😀', '\uFFFE', '\uFFFF', '\uD83D', '\uDE00', '\uFFFD', '\n', '\0', '\u{1FFFE}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 60,
});
const lengths = fc.nat({ max: 70 });

describe('plain text', () => {
  it('is unchanged if every queue, table and platform accepts it', () => {
    for (const text of ['', ' ', 'Asha', 'आशा', 'a\n\tb', '😀', '\uFFFD', '{{x}}', '</lead>', '\0', '\u{1FFFE}'])
      expect(plainText(text, 100)).toBe(text);
    forAll([texts], (text) => {
      fc.pre(text.isWellFormed() && !/[\uFFFE\uFFFF]/.test(text));
      expect(plainText(text, text.length)).toBe(text);
    });
  });

  it('is truncated to a number of UTF-16 units', () => {
    expect(plainText('abcdef', 3)).toBe('abc');
    expect(plainText('abc', 3)).toBe('abc');
    expect(plainText('abc', 0)).toBe('');
    expect(plainText('x'.repeat(100_000), 500)).toHaveLength(500);
  });

  it('has no half characters, neither from truncation nor from the input', () => {
    expect(plainText('ab😀', 3)).toBe('ab\uFFFD');
    expect(plainText('ab😀', 4)).toBe('ab😀');
    expect(plainText('\uD83D', 10)).toBe('\uFFFD');
    expect(plainText('x\uDE00y', 10)).toBe('x\uFFFDy');
  });

  it('has neither U+FFFE nor U+FFFF, which SQS rejects', () => {
    expect(plainText('a\uFFFEb\uFFFFc', 10)).toBe('abc');
    expect(plainText('\uFFFE\uFFFF', 10)).toBe('');
  });

  it('does not combine half characters that these two had separated', () => {
    expect(plainText('\uD83D\uFFFE\uDE00', 10)).toBe('\uFFFD\uFFFD');
  });

  it('is accepted by SQS, never longer than the input, and idempotent, for any text', () => {
    forAll([texts, lengths], { numRuns: 2000 }, (text, most) => {
      const plain = plainText(text, most);
      expect(plain.length).toBeLessThanOrEqual(most);
      expect(plain.isWellFormed()).toBe(true);
      expect(JSON.stringify(plain)).toMatch(TAKEN);
      expect(plainText(plain, most)).toBe(plain);
    });
  });
});
