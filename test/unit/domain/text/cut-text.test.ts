import fc from 'fast-check';
import { cutText } from '../../../../shared/domain/text/cut-text.ts';
import { anyText } from '../../../support/values/any-text.ts';
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
});
