/** Characters that a page does not show: controls, and format characters such as joiners and direction marks. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

const seen = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').replace(UNSEEN, '').trim();

/**
 * Returns whether a person has typed a text as the page shows it. The page shows several blanks, tabs and line breaks
 * as one blank, and other hidden characters not at all.
 */
export const isTypedAs = (typed: string, shown: string): boolean => seen(typed) === seen(shown);
