export type Cell = string | number | null | undefined;

/** Spreadsheets run cells that begin so as formulas. An apostrophe before them makes them text. */
const FORMULA = /^[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/u;
const NUMBER = /^-?\d+(\.\d+)?$/;

const harmless = (text: string) => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** Writes one cell (RFC 4180), so that no spreadsheet computes it. */
function cell(value: Cell): string {
  const text = harmless(String(value ?? ''));
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes a CSV file with a byte order mark, by which Excel reads it as UTF-8. */
export const csvOf = (header: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${[header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`;
