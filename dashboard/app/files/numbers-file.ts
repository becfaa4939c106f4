import { numberColumnsOf } from '../../../shared/domain/text/number-columns.ts';

/** A number as written in a file. */
export type Line = { line: number; text: string };

export type NumbersFile =
  /** `columns`: the cells of the first row, to choose from; `column`: the one that was read. */
  | { kind: 'lines'; lines: Line[]; columns: string[]; column: number }
  | { kind: 'refused'; reason: 'several_columns'; columns: string[] }
  | { kind: 'refused'; reason: 'too_many' | 'open_quote' | 'no_text' };

const MAX_LINES = 50_000;

/** Reads a file's bytes: UTF-8, or the UTF-16 of Excel's Unicode text. */
export function decodeText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

/**
 * Finds the numbers in a CSV file, or in a text with one per line: in the column with a known header, otherwise in the
 * first one. Skips empty lines.
 * @param chosen the column that a person chose, from 0
 */
export function parseNumbersFile(text: string, chosen?: number): NumbersFile {
  if (text.includes('\0')) return { kind: 'refused', reason: 'no_text' };
  const rows = parseCsv(text);
  if (rows === undefined) return { kind: 'refused', reason: 'open_quote' };
  const columns = rows[0]?.cells ?? [];
  const named = numberColumnsOf(columns);
  if (named.length > 1 && chosen === undefined) return { kind: 'refused', reason: 'several_columns', columns };
  const column = chosen ?? named[0] ?? 0;
  const body = named.length === 0 ? rows : rows.slice(1);
  if (body.length > MAX_LINES) return { kind: 'refused', reason: 'too_many' };
  // This dashboard exports numbers with a leading apostrophe, against formulas.
  const lines = body.map(({ line, cells }) => ({ line, text: (cells[column] ?? '').replace(/^'/, '') }));
  return { kind: 'lines', lines, columns, column };
}

/** The number in a line; null if it is not a phone number. */
type Read = { phone: string; is_listed: boolean } | null;

export type CheckedNumbers = {
  /** New to the list; the first line of each number. */
  fresh: Line[];
  bad: Line[];
  /** Numbers already on the list. */
  listed: number;
  /** Lines that repeat the number of an earlier line. */
  repeated: number;
};

/** Counts numbers, not lines: a number may be written in several ways. @param read the number in each line */
export function countNumbers(lines: readonly Line[], read: readonly Read[]): CheckedNumbers {
  const seen = new Set<string>();
  const checked: CheckedNumbers = { fresh: [], bad: [], listed: 0, repeated: 0 };
  for (const [index, line] of lines.entries()) {
    const number = read[index];
    if (!number) checked.bad.push(line);
    else if (seen.has(number.phone)) checked.repeated += 1;
    else if (number.is_listed) checked.listed += 1;
    else checked.fresh.push(line);
    if (number) seen.add(number.phone);
  }
  return checked;
}

type Row = { line: number; cells: string[] };

/** Splits CSV (RFC 4180) into non-empty rows. @returns undefined if a quote is not closed */
function parseCsv(text: string): Row[] | undefined {
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
