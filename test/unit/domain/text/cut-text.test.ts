import fc from 'fast-check';
import { cutText } from '../../../../shared/domain/text/cut-text.ts';
import { anyText, longText } from '../../../support/values/any-text.ts';
import { forAll } from '../../../support/values/for-all.ts';

describe('a text that is cut', () => {
  it('has as many characters as fit', () => {
    expect([cutText('abc', 2), cutText('abc', 3), cutText('abc', 4)]).toEqual(['ab', 'abc', 'abc']);
  });

  it('never ends within a character', () => {
    expect(cutText('a🙂', 2)).toBe('a');
    forAll([anyText(), fc.nat(20)], (text, most) => {
      const part = cutText(text, most);
      expect(part.isWellFormed()).toBe(true);
      expect(text.startsWith(part)).toBe(true);
      expect(part.length).toBeGreaterThanOrEqual(Math.min(text.length, most) - 1);
      expect(part.length).toBeLessThanOrEqual(most);
    });
  });

  it('loses no more if it contains half a character', () => {
    expect([cutText('\ud83dabc', 9), cutText('a\ude00bc', 3), cutText('\ud83da🙂', 3)]).toEqual([
      '\ud83dabc',
      'a\ude00b',
      '\ud83da',
    ]);
    forAll([longText(20), fc.nat(700)], (text, most) => {
      const part = cutText(text, most);
      const lost = text.slice(part.length, most);
      expect(text.startsWith(part)).toBe(true);
      expect(lost === '' || /^[\ud800-\udbff]$/.test(lost)).toBe(true);
    });
  });
});
