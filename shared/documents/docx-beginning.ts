/**
 * The beginning of a WordprocessingML document that holds `most` characters of text, closed again where it is cut. mammoth
 * builds a tree of all it is given, at forty times its size: of a long document only the beginning is kept anyway.
 * @param xml of the main part; may itself be cut.
 * @param most characters of text runs; a little more is left, because it is cut behind a paragraph.
 * @returns the whole where it is no longer, or is not well formed: then mammoth is the judge. And how much text was counted.
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

/** Where a tag, a comment, a declaration or a section of raw characters ends; -1 where it does not. */
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

/** With a `/` before it where the tag closes. */
function nameOf(xml: string, start: number): string {
  const [name = ''] = /^[^\s>]*/.exec(xml.slice(start + 1, start + 1 + MOST_NAME)) ?? [];
  return name;
}

const MOST_NAME = 64;

/** An entity is one character. */
const lengthOf = (text: string): number => text.replace(/&[^&;]{1,10};/g, ' ').length;
