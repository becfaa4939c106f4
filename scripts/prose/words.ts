import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

type Rule = { pattern: string; specs: { from: string; to: string }[] };

export const wordList = fileURLToPath(new URL('words.yml', import.meta.url));
export const wordRules: readonly Rule[] = parse(readFileSync(wordList, 'utf8')).rules;

/** A negative lookahead and the rest of its pattern. The quick check omits both, because it joins paragraphs. */
const EXCEPTION = /\(\?!.*/;
/** The characters that may precede a word in the next line of a comment, list, quotation or table. */
const LINE_START = /\n[\s*/#>|+-]*/g;

const anyPhrase = new RegExp(wordRules.map(({ pattern }) => bare(pattern)).join('|'), 'i');

/** Returns the source of a pattern without its exceptions. */
function bare(pattern: string): string {
  const [, source] = /^\/(.*)\/i$/.exec(pattern) ?? [];
  if (source === undefined) throw new Error(`${pattern} in words.yml is no expression with the flag i`);
  return source.replace(EXCEPTION, '');
}

/**
 * Returns whether a text, its code included, may contain a phrase of the word list. The exact check takes a hundred
 * times as long.
 */
export const mayHavePhrase = (text: string): boolean =>
  anyPhrase.test(text.replaceAll('_', ' ').replace(LINE_START, '\n'));
