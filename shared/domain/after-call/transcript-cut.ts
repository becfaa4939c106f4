/**
 * The most of a transcript that a model is shown. An hour of talk, the longest call there is, has about 60,000 characters;
 * in Indian scripts these are some 100,000 tokens, which with the answer still fit the smallest window of a usual model (128,000).
 */
export const MOST_TRANSCRIPT_CHARACTERS = 60_000;

/** More than the mark of the gap ever has. */
const MARK_CHARACTERS = 120;

/**
 * Keeps beginning and end of a transcript, in which a call's purpose and its outcome stand, and says in between how much is
 * left out. It is cut at the ends of lines, within one only where that is long.
 * @param most characters, 500 and more. @returns the text, `most` characters at most, and whether anything is missing.
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

/** The last end of a line before `most`; within a line where that would waste half of the room. */
function endOfLine(text: string, most: number): number {
  const end = text.lastIndexOf('\n', most);
  if (end >= most / 2) return end;
  return isWithinCharacter(text, most) ? most - 1 : most;
}

/** The first start of a line from `least` on; within a line where that would waste half of the room. */
function startOfLine(text: string, least: number, half: number): number {
  const start = text.indexOf('\n', least - 1) + 1;
  if (start > 0 && start <= least + half / 2) return start;
  return isWithinCharacter(text, least) ? least + 1 : least;
}

const isWithinCharacter = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
