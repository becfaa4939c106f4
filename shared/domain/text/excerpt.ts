import { cutText } from './cut-text.ts';

/** The number of characters shown before the first difference. */
const LEADING_CHARACTERS = 40;

/**
 * Cuts a text longer than `most` characters to its part from shortly before the first difference from the other text.
 * An ellipsis marks each cut.
 */
export function excerptAtDifference(text: string, other: string, most: number): string {
  if (text.length <= most) return text;
  const start = Math.max(0, firstDifference(text, other) - LEADING_CHARACTERS);
  const excerpt = cutText(text.slice(start), most).toWellFormed();
  const end = start + excerpt.length < text.length ? '…' : '';
  return `${start > 0 ? '…' : ''}${excerpt}${end}`;
}

function firstDifference(text: string, other: string): number {
  let position = 0;
  while (position < text.length && text[position] === other[position]) position += 1;
  return position;
}
