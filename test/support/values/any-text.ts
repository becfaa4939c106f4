import fc from 'fast-check';

const codePoints = (min: number, max: number) => fc.integer({ min, max });

/**
 * Any character of Unicode, as a `unit` of `fc.string`. It means the same as the unit `binary`, for which fast-check
 * builds a table of a million characters: a second for each test file.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(codePoints(0, 0x7f), codePoints(0x80, 0xd7ff), codePoints(0xe000, 0x10ffff))
  .map(
    (codePoint) => String.fromCodePoint(codePoint),
    (text) => {
      const [character, ...more] = Array.from(String(text));
      if (character === undefined || more.length > 0) throw new Error('not one character');
      return character.codePointAt(0) ?? 0;
    },
  );

/** Any well-formed text. */
export const anyText = (constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, ...constraints });

/** Text with up to `most` repetitions of a character that is long in UTF-8, long in UTF-16, invalid, or a control. */
export const longText = (most: number): fc.Arbitrary<string> => {
  const some = anyText({ maxLength: 300 });
  const unit = fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\n', '\0');
  return fc
    .tuple(some, unit, fc.nat(most), some)
    .map(([before, character, times, after]) => before + character.repeat(times) + after);
};
