import fc from 'fast-check';

/** Text with up to `most` repetitions of a character that is long in UTF-8, long in UTF-16, invalid, or a control. */
export const longText = (most: number): fc.Arbitrary<string> => {
  const some = fc.string({ unit: 'binary', maxLength: 300 });
  const unit = fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\n', '\0');
  return fc
    .tuple(some, unit, fc.nat(most), some)
    .map(([before, character, times, after]) => before + character.repeat(times) + after);
};
