/** Zero-width characters, direction marks, tags, variation selectors, fillers, and controls other than white space. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|[^\P{Cc}\s\u0085]/gu;

/**
 * Removes characters that people cannot see but a language model reads. Joiners of Indian and Arabic scripts are
 * removed, too: without them a word looks different and sounds the same.
 */
export const visibleText = (text: string): string => text.replace(INVISIBLE, '');
