import { visibleText } from './visible-text.ts';

const MAX_CHARACTERS = 40;
const MAX_WORDS = 4;
/** A longer word is a sentence without its spaces. */
const MAX_LETTERS_OF_A_WORD = 25;
/** A longer value is not a name, even after removals. */
const MAX_UNITS = 500;

const SHAPE = /^\p{L}[\p{L}\p{M} '.-]*$/u;
/** A name does not contain "--" or "..". */
const REPEATED_MARKS = /['.-]{2}/;
/** A dot may end an initial or a word, but not join two words: "evil.com". */
const DOMAIN = /\p{L}\p{M}*\p{L}\p{M}*\.\p{L}/u;

/**
 * Reads a stranger's value as a name: letters and marks of any script, spaces, `'`, `.` and `-`; at most 40 characters
 * and four words of at most 25 letters. Parts that a hyphen, dot or apostrophe joins count as words unless they are
 * initials; in scripts without spaces, such as Chinese and Thai, a dictionary finds the words.
 * @returns the name with single spaces, '' if the value is not a name (docs/leads.md, "Spoken values").
 */
export function spokenName(value: string): string {
  if (value.length > MAX_UNITS) return '';
  const name = visibleText(value)
    .replace(/’/g, "'")
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
  if ([...name].length > MAX_CHARACTERS || !SHAPE.test(name)) return '';
  if (REPEATED_MARKS.test(name) || DOMAIN.test(name)) return '';
  const longParts = name.split(/[ '.-]/).filter((part) => lettersOf(part) > 1);
  if (longParts.some((part) => lettersOf(part) > MAX_LETTERS_OF_A_WORD)) return '';
  const words = longParts.flatMap((part) => [...wordsOf.segment(part)]);
  return name.split(' ').length > MAX_WORDS || words.length > MAX_WORDS ? '' : name;
}

const wordsOf = new Intl.Segmenter('und', { granularity: 'word' });

const lettersOf = (part: string): number => part.match(/\p{L}/gu)?.length ?? 0;
