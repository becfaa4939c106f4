import fc from 'fast-check';

const isSurrogate = (codePoint: number): boolean => codePoint >= 0xd800 && codePoint <= 0xdfff;

/**
 * Any character of Unicode, as a `unit` of `fc.string`. It means the same as the unit `binary`, for which fast-check
 * builds a table of a million characters, in a second of each test file.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((codePoint) => !isSurrogate(codePoint))
  .map(
    (codePoint) => String.fromCodePoint(codePoint),
    (text) => {
      const [character, ...more] = Array.from(String(text));
      if (character === undefined || more.length > 0) throw new Error('not one character');
      return character.codePointAt(0) ?? 0;
    },
  );
