/**
 * The longest transcript that a model gets. The longest call, an hour, has about 60,000 characters: in Indian scripts
 * about 100,000 tokens, which fit the smallest usual context window (128,000) together with the answer.
 */
export const MAX_TRANSCRIPT_CHARACTERS = 60_000;

/** Longer than the longest mark of the gap. */
const MARK_CHARACTERS = 120;

/**
 * Shortens a transcript to its beginning and its end, which contain the purpose and the outcome of a call, and a mark
 * in between. Cuts at line ends, and within a line only if the line is long.
 * @param most characters, at least 500 @returns the text, `most` characters at most, and whether it was cut
 */
export function cutTranscript(text: string, most: number): { text: string; isCut: boolean } {
  const whole = text.trim();
  if (whole.length <= most) return { text: whole, isCut: false };
  const room = most - MARK_CHARACTERS;
  const half = Math.floor(room / 2);
  const headEnd = endOfLine(whole, half);
  const tailStart = startOfLine(whole, whole.length - (room - headEnd), half);
  const leftOut = whole.slice(headEnd, tailStart);
  const lines = leftOut.trim().split('\n').length;
  const mark = `[… ${lines} lines with ${leftOut.length} characters of the transcript are left out here …]`;
  return { text: [whole.slice(0, headEnd), mark, whole.slice(tailStart)].join('\n'), isCut: true };
}

/** Returns the last line end before `most`; a position within a line if that would waste half of the room. */
function endOfLine(text: string, most: number): number {
  const end = text.lastIndexOf('\n', most);
  if (end >= most / 2) return end;
  return isWithinCharacter(text, most) ? most - 1 : most;
}

/** Returns the first line start from `least` on; a position within a line if that would waste half of the room. */
function startOfLine(text: string, least: number, half: number): number {
  const start = text.indexOf('\n', least - 1) + 1;
  if (start > 0 && start <= least + half / 2) return start;
  return isWithinCharacter(text, least) ? least + 1 : least;
}

const isWithinCharacter = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
