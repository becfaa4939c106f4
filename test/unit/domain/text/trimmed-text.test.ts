import { trimmedText } from '../../../../shared/domain/text/trimmed-text.ts';

describe('a name', () => {
  it('is stored without surrounding white space and without marks that reverse the sentence around it', () => {
    expect(trimmedText(20).parse(' \u202eAsha\u2066 Rao\u2069 ')).toBe('Asha Rao');
    expect(trimmedText(20).parse('عائشة')).toBe('عائشة');
  });

  it.each(['', '  ', '\u202e', '\u0000'])('has a visible character: %j', (text) => {
    expect(trimmedText(20).safeParse(text).success).toBe(false);
  });

  it('is refused with a sentence if its characters are invisible', () => {
    expect(trimmedText(20).safeParse('\u0000').error?.issues).toMatchObject([
      { message: 'must have a visible character' },
    ]);
  });

  it('is as long as its characters before their removal', () => {
    expect(trimmedText(4).safeParse('Asha').success).toBe(true);
    expect(trimmedText(4).safeParse('Asha\u202e').success).toBe(false);
  });
});
