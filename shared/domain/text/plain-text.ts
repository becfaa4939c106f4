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

/**
 * Copies JSON for a message: its texts and names lose what `plainText` removes, and its numbers are JavaScript's. A
 * replacement in the text of the JSON works at any depth.
 */
export const plainJson = <T>(json: T): T =>
  JSON.parse(
    JSON.stringify(json)
      .replace(/[\uFFFE\uFFFF]/g, '')
      // JSON.stringify escapes only surrogates without their other half. The second alternative skips other escapes.
      .replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (mark) => (mark.length > 2 ? '\uFFFD' : mark)),
  );

/** Replaces `<` and `>` by look-alikes, because entities are readable only if the text is shown as HTML. */
export const withoutMarkup = (text: string): string => text.replace(/</g, '‹').replace(/>/g, '›');
