import { CsvError, parse } from 'csv-parse/sync';
import { toE164 } from '../../../../shared/domain/text/national-number.ts';
import { numberColumnsOf } from '../../../../shared/domain/text/number-columns.ts';
import { fileContent } from '../../input.ts';
import { invalid } from '../../values.ts';

export const MAX_NUMBERS = 200_000;
const LINES_NAMED = 5;

/**
 * Reads the phone numbers of a CSV file.
 * @param region the country of numbers without a country code.
 * @returns the distinct numbers in E.164.
 * @throws Refusal naming lines but never their content, which may be personal data.
 */
export async function numbersOfFile(path: string, region: string): Promise<string[]> {
  const source = `--file ${path}`;
  const rows = numberRows(source, readRows(source, await fileContent('--file', path)));
  const numbers = new Set<string>();
  const wrongLines: number[] = [];
  for (const { cell, line } of rows) {
    const number = toE164(cell, region);
    if (number) numbers.add(number);
    else wrongLines.push(line);
  }
  if (wrongLines.length > 0) {
    const lines = wrongLines.slice(0, LINES_NAMED).join(', ');
    const more = wrongLines.length > LINES_NAMED ? ` and ${wrongLines.length - LINES_NAMED} more` : '';
    throw invalid(`${source} has no phone number in line ${lines}${more}; no number was added.`);
  }
  return [...numbers];
}

type Row = { record: string[]; info: { lines: number } };

/** @returns the non-blank rows; their number is bounded, so that a wrong file does no harm. */
function readRows(source: string, content: Buffer): Row[] {
  try {
    return parse(content, {
      bom: true,
      info: true,
      trim: true,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      // Listed, because detection only recognizes the first kind, and concatenated files mix them.
      record_delimiter: ['\r\n', '\n', '\r'],
      to: MAX_NUMBERS + 2,
    }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(`${source} is not CSV at line ${error.lines}; no number was added.`);
  }
}

/** @returns the cells of the column that a header names; without such a header, of the first column. */
function numberRows(source: string, rows: readonly Row[]): { cell: string; line: number }[] {
  const header = rows[0]?.record.map((name) => name.toLowerCase()) ?? [];
  const columns = numberColumnsOf(header);
  if (columns.length > 1)
    throw invalid(
      `${source} has several columns of numbers (${columns.map((index) => header[index]).join(', ')}): remove all but one.`,
    );
  const body = columns.length === 0 ? rows : rows.slice(1);
  if (body.length > MAX_NUMBERS)
    throw invalid(`${source} has more than ${MAX_NUMBERS} numbers; no number was added: split the file.`);
  const column = columns[0] ?? 0;
  return body.map(({ record, info }) => ({ cell: record[column] ?? '', line: info.lines }));
}
