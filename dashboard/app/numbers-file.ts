/** A number of a file as it is written there. */
export type Line = { line: number; text: string };

export type NumbersFile =
  /** `columns` are the cells of the first row; `column` is the one that is read. */
  | { kind: 'lines'; lines: Line[]; columns: string[]; column: number }
  | { kind: 'refused'; reason: 'several_columns' | 'too_many' | 'open_quote' | 'no_text' };

/** The names of a column of numbers, as `dnc import` has them. */
const COLUMN_NAMES = ['phone', 'number', 'mobile', 'phone_number', 'phone number'];
const MOST_LINES = 50_000;

/** Reads a file's bytes: UTF-8, or the UTF-16 of Excel's Unicode text. */
export function textOf(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

/**
 * Finds the numbers of a CSV file, or of a text with one in each line: in the column that a header names, else in the
 * first one. Lines without content are left out.
 * @param chosen the position of the column, where a person chose it
 */
export function numbersOf(text: string, chosen?: number): NumbersFile {
  if (text.includes('\0')) return { kind: 'refused', reason: 'no_text' };
  const rows = rowsOf(text);
  if (rows === undefined) return { kind: 'refused', reason: 'open_quote' };
  const header = rows[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const named = header.flatMap((name, index) => (COLUMN_NAMES.includes(name) ? [index] : []));
  if (chosen === undefined && named.length > 1) return { kind: 'refused', reason: 'several_columns' };
  const column = chosen ?? named[0] ?? 0;
  const body = named.length === 0 ? rows : rows.slice(1);
  if (body.length > MOST_LINES) return { kind: 'refused', reason: 'too_many' };
  // An apostrophe stands before each number that this dashboard exports, against formulas.
  const lines = body.map(({ line, cells }) => ({ line, text: (cells[column] ?? '').replace(/^'/, '') }));
  return { kind: 'lines', lines, columns: rows[0]?.cells ?? [], column };
}

type Row = { line: number; cells: string[] };

/** Splits CSV (RFC 4180) into rows with content. @returns undefined where a quote stays open */
function rowsOf(text: string): Row[] | undefined {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const rows: Row[] = [];
  let [line, start, cell, isQuoted] = [1, 1, '', false];
  let cells: string[] = [];
  const endRow = () => {
    cells.push(cell.trim());
    if (cells.some((one) => one !== '')) rows.push({ line: start, cells });
    [cells, cell] = [[], ''];
  };
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] as string;
    if (character === '\n') line += 1;
    if (isQuoted && character === '"' && source[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (isQuoted || cell.trim() === '')) isQuoted = !isQuoted;
    else if (isQuoted) cell += character;
    else if (character === '\n') {
      endRow();
      start = line;
    } else if (/[,;\t]/.test(character)) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  if (isQuoted) return undefined;
  endRow();
  return rows;
}
