/**
 * Truncates a text and makes it valid for every queue, table and platform: without lone surrogates, which truncation
 * may leave, and without U+FFFE and U+FFFF, which SQS rejects (API reference, SendMessage).
 * @param most length in UTF-16 units
 */
export const plainText = (text: string, most: number): string =>
  text
    .slice(0, most)
    .toWellFormed()
    .replace(/[\uFFFE\uFFFF]/g, '');

/** Replaces `<` and `>` by look-alikes, because entities are readable only if the text is shown as HTML. */
export const withoutMarkup = (text: string): string => text.replace(/</g, '‹').replace(/>/g, '›');
