/**
 * Cuts a WordprocessingML document after `most` characters of text and closes the open tags. mammoth builds a tree of
 * forty times its input's size, and only the beginning of a long document is stored anyway.
 * @param xml of the main part; may be truncated.
 * @param most characters of text runs. The cut is at the end of a paragraph, so a little more remains.
 * @returns the document, uncut if it is short or malformed (mammoth decides then), and the number of characters
 * counted.
 */
export function beginningOf(xml: string, most: number): { xml: string; characters: number } {
  const open: string[] = [];
  let characters = 0;
  for (let start = xml.indexOf('<'); start !== -1; ) {
    const end = endOfTag(xml, start);
    if (end === -1) break;
    if (xml[start + 1] !== '!' && xml[start + 1] !== '?' && xml[end - 1] !== '/') {
      const name = nameOf(xml, start);
      if (!name.startsWith('/')) open.push(name);
      else if (open.pop() !== name.slice(1)) break;
      if (name === '/w:p' && characters >= most)
        return {
          xml:
            xml.slice(0, end + 1) +
            open
              .toReversed()
              .map((one) => `</${one}>`)
              .join(''),
          characters,
        };
    }
    const next = xml.indexOf('<', end);
    if (open.at(-1) === TEXT) characters += lengthOf(xml.slice(end + 1, next === -1 ? undefined : next));
    start = next;
  }
  return { xml, characters };
}

const TEXT = 'w:t';

/** Finds the end of a tag, comment, declaration or CDATA section; -1 if it has none. */
function endOfTag(xml: string, start: number): number {
  for (const [opening, closing] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
  ] as const)
    if (xml.startsWith(opening, start)) {
      const end = xml.indexOf(closing, start);
      return end === -1 ? -1 : end + closing.length - 1;
    }
  return xml.indexOf('>', start);
}

/** Returns the tag's name, with a leading `/` for a closing tag. */
function nameOf(xml: string, start: number): string {
  const [name = ''] = /^[^\s>]*/.exec(xml.slice(start + 1, start + 1 + MAX_NAME)) ?? [];
  return name;
}

const MAX_NAME = 64;

/** Counts characters; an entity is one character. */
const lengthOf = (text: string): number => text.replace(/&[^&;]{1,10};/g, ' ').length;
