/**
 * Text that every queue, table and platform takes: no half of a character, which a cut may leave, and none of the two that
 * SQS refuses (API reference, SendMessage: U+FFFE and U+FFFF).
 * @param most characters; what is longer is cut.
 */
export const plainText = (text: string, most: number): string =>
  text
    .slice(0, most)
    .toWellFormed()
    .replace(/[\uFFFE\uFFFF]/g, '');
