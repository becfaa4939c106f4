import type { Finding } from './finding.ts';

const MAX_CHARACTERS = 120;
/** A line of one word, such as a long link, cannot be broken. */
const SINGLE_WORD = /^\s*(?:(?:[-*]|\d+\.|\/\/)\s*)?\S+$/;
const TABLE_OR_HEADING = /^\s*(?:\||#{1,6} )/;

const isTooLong = (line: string) => line.length > MAX_CHARACTERS && !SINGLE_WORD.test(line);
const finding = (line: string, index: number): Finding => ({
  line: index + 1,
  message: `has ${line.length} characters, ${MAX_CHARACTERS} at most`,
});

export const hasLongLine = (text: string): boolean => text.split('\n').some(isTooLong);

/** Finds lines of Markdown that are too long. Tables, headings and code blocks may be longer. */
export function longLinesOfMarkdown(text: string): Finding[] {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    return isCode || TABLE_OR_HEADING.test(line) || !isTooLong(line) ? [] : [finding(line, index)];
  });
}

/** Finds lines of code that are too long and contain a part of a comment. The formatter breaks the other lines. */
export function longLinesOfComments(code: string, comments: string): Finding[] {
  const commented = comments.split('\n');
  return code.split('\n').flatMap((line, index) => (commented[index] && isTooLong(line) ? [finding(line, index)] : []));
}
