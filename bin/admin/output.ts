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

/** A table for people. @param none the sentence where there are no rows. */
export function table(head: string[], rows: readonly Cell[][], none: string): string {
  if (rows.length === 0) return none;
  const drawn = new Table({ ...plainTable, head });
  for (const row of rows) drawn.push(row.map(show));
  return withoutTrail(drawn.toString());
}

/** Names and values below each other. */
export function facts(values: Readonly<Record<string, unknown>>): string {
  const drawn = new Table(plainTable);
  for (const [name, value] of Object.entries(values)) drawn.push([name, show(asCell(value))]);
  return withoutTrail(drawn.toString());
}

const withoutTrail = (text: string): string => text.replace(/ +$/gm, '');

function asCell(value: unknown): Cell {
  if (Array.isArray(value) && value.every((member) => typeof member !== 'object')) return value.join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}

function show(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** What strangers wrote (names, transcripts) must not steer the terminal. */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n]/gu, ' ');

/** Writes all of the text, also into a pipe whose reader is slow. A reader that has left is no failure. */
export function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) =>
      error && (error as NodeJS.ErrnoException).code !== 'EPIPE' ? reject(error) : resolve();
    stream.once('error', settle);
    stream.write(text, settle);
  });
}
