import Table from 'cli-table3';

type Cell = string | number | boolean | null | undefined;

const plainTable = {
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  chars: Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid']
      .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
      .concat('middle', 'left-mid', 'mid-mid', 'right-mid')
      .map((name) => [name, '']),
  ),
};

/** Draws a table for a terminal. @param none the sentence for an empty table. */
export function table(head: string[], rows: readonly Cell[][], none: string): string {
  if (rows.length === 0) return none;
  const drawn = new Table({ ...plainTable, head });
  for (const row of rows) drawn.push(row.map(show));
  return trimLines(drawn.toString());
}

/** Draws names and values, one pair per line. */
export function facts(values: Readonly<Record<string, unknown>>): string {
  const drawn = new Table(plainTable);
  for (const [name, value] of Object.entries(values)) drawn.push([name, show(asCell(value))]);
  return trimLines(drawn.toString());
}

/** Joins the parts of an answer with a blank line; omits undefined parts. */
export const paragraphs = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join('\n\n');

const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');

function asCell(value: unknown): Cell {
  if (Array.isArray(value) && value.every((member) => typeof member !== 'object')) return value.join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}

function show(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** Control characters, and characters that reorder text on a terminal. */
const CONTROLS = /[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/gu;

/** Replaces control characters: names and transcripts come from strangers and must not control the terminal. */
export const printable = (text: string): string => text.replace(CONTROLS, ' ');

/** Writes JSON of the same value with all control characters escaped, even those that JSON allows. */
export const printableJson = (value: object, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export type Output = NodeJS.WritableStream;

/** Writes the whole text, even into a slow pipe. A reader that has closed the pipe is not a failure. */
export function write(stream: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) =>
      error && (error as NodeJS.ErrnoException).code !== 'EPIPE' ? reject(error) : resolve();
    stream.once('error', settle);
    stream.write(text, settle);
  });
}
