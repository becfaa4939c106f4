/** The parts of a text in order; undefined for a part without a value. */
type Parts = readonly (string | undefined)[];

const PUNCTUATION = ',.;:!?।…';
/** Ends a sentence, or a line, so that the next part begins one. */
const SENTENCE_ENDS = '.!?।…\n';
const SPACES = ' \t';

/**
 * Joins parts and closes up the text around those without a value, so that "Namaste , this is Asha" is never said.
 * Removes double spaces, spaces and a comma before punctuation, and punctuation at the beginning of a sentence. Linear
 * in the length of the text.
 */
export function closeGaps(parts: Parts): string {
  const said: string[] = [];
  let isGap = false;
  for (const part of parts) {
    if (part === undefined) isGap = true;
    else if (part !== '') {
      if (!isGap) said.push(part);
      else isGap = !pushAfterGap(said, part);
    }
  }
  if (isGap) {
    dropEnd(said, SPACES);
    if (lastOf(said) === ',') dropLast(said);
  }
  return said.join('');
}

/** Adds the part that follows a gap. @returns false if only spaces were added, so that the gap continues */
function pushAfterGap(said: string[], part: string): boolean {
  let following = part;
  // A loop, because a hostile text has so many brackets that recursion would overflow the stack.
  while (withoutBeginning(following, SPACES).startsWith(')') && lastVisible(said) === '(') {
    dropEnd(said, SPACES);
    dropLast(said);
    following = withoutBeginning(following, SPACES).slice(1);
    if (following === '') return false;
  }
  const rest = withoutBeginning(following, SPACES);
  const first = rest[0];
  if (first === undefined) {
    if (said.length > 0 && !isIn(`${SPACES}\n(`, lastOf(said))) said.push(' ');
    return false;
  }
  if (isIn(`${PUNCTUATION}\n)`, first)) {
    dropEnd(said, SPACES);
    if (lastOf(said) === ',') dropLast(said);
    said.push(isIn(PUNCTUATION, first) && beginsSentence(said) ? capitalized(said, rest) : rest);
    return true;
  }
  const endsWithSpace = said.length === 0 || isIn(`${SPACES}\n`, lastOf(said));
  said.push(endsWithSpace ? rest : following);
  return true;
}

/** Drops the punctuation that follows a gap, and capitalizes the rest as a new sentence. */
function capitalized(said: readonly string[], rest: string): string {
  const sentence = withoutBeginning(rest, PUNCTUATION + SPACES);
  const separator = said.length === 0 || lastOf(said) === '\n' ? '' : ' ';
  return (
    (sentence === '' || sentence.startsWith('\n') ? '' : separator) +
    sentence.replace(/^\p{Ll}/u, (each) => each.toUpperCase())
  );
}

const beginsSentence = (said: readonly string[]): boolean => said.length === 0 || isIn(SENTENCE_ENDS, lastOf(said));

const isIn = (set: string, character: string | undefined): boolean =>
  character !== undefined && set.includes(character);

const lastOf = (said: readonly string[]): string | undefined => said.at(-1)?.at(-1);

/** Returns the last non-space character. */
function lastVisible(said: readonly string[]): string | undefined {
  const last = said.at(-1) ?? '';
  return last[endWithout(last, SPACES) - 1];
}

function withoutBeginning(text: string, set: string): string {
  let start = 0;
  while (isIn(set, text[start])) start += 1;
  return text.slice(start);
}

function endWithout(text: string, set: string): number {
  let end = text.length;
  while (end > 0 && isIn(set, text[end - 1])) end -= 1;
  return end;
}

/** Removes a set's characters from the end, and parts that become empty. */
function dropEnd(said: string[], set: string): void {
  for (let last = said.pop(); last !== undefined; last = said.pop()) {
    const kept = last.slice(0, endWithout(last, set));
    if (kept === '') continue;
    said.push(kept);
    return;
  }
}

function dropLast(said: string[]): void {
  const last = said.pop()?.slice(0, -1);
  if (last) said.push(last);
}
