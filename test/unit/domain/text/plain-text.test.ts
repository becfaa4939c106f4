import fc from 'fast-check';
import { plainText } from '../../../../shared/domain/text/plain-text.ts';
import { anyText } from '../../../support/values/any-text.ts';
import { forAll } from '../../../support/values/for-all.ts';

/** Characters that SQS accepts (API reference, SendMessage), without controls, because JSON escapes them. */
const ACCEPTED = /^[\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'ü', 'क', '😀', '\uFFFE', '\uFFFF', '\uD83D', '\uDE00', '\uFFFD', '\n', '\0', '\u{1FFFE}'),
    anyText({ minLength: 1, maxLength: 1 }),
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

  it.each([
    ['is truncated to a number of UTF-16 units', 'abcdef', 3, 'abc'],
    ['is truncated to a number of UTF-16 units', 'abc', 3, 'abc'],
    ['is truncated to a number of UTF-16 units', 'abc', 0, ''],
    ['has no half characters from truncation', 'ab😀', 3, 'ab\uFFFD'],
    ['has no half characters from truncation', 'ab😀', 4, 'ab😀'],
    ['has no half characters from the input', '\uD83D', 10, '\uFFFD'],
    ['has no half characters from the input', 'x\uDE00y', 10, 'x\uFFFDy'],
    ['has neither U+FFFE nor U+FFFF, which SQS rejects', 'a\uFFFEb\uFFFFc', 10, 'abc'],
    ['has neither U+FFFE nor U+FFFF, which SQS rejects', '\uFFFE\uFFFF', 10, ''],
    ['does not combine half characters that these two had separated', '\uD83D\uFFFE\uDE00', 10, '\uFFFD\uFFFD'],
  ])('%s: %j, at most %i units', (_rule, text, most, plain) => {
    expect(plainText(text, most)).toBe(plain);
  });

  it('is accepted by SQS, never longer than the input, and idempotent, for any text', () => {
    forAll([texts, lengths], { numRuns: 1000 }, (text, most) => {
      const plain = plainText(text, most);
      expect(plain.length).toBeLessThanOrEqual(most);
      expect(plain.isWellFormed()).toBe(true);
      expect(JSON.stringify(plain)).toMatch(ACCEPTED);
      expect(plainText(plain, most)).toBe(plain);
    });
  });
});
