export type Cell = string | number | null | undefined;

/** Spreadsheets run cells that begin with these as formulas. A leading apostrophe makes them text. */
const FORMULA = /^(?:[\t\r]|\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/u;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Spreadsheets round the digits beyond the 15th, such as those of a CRM’s ids, and drop leading zeros. */
const EXACT = /^-?(?!0\d)(\.?\d){1,15}$/;

/** Text, such as a lead’s id, that spreadsheets may read as another number, a date or a time: "12E34", "4/5". */
const MISREAD = /^\s*[.,]?\d[\d.,:/%e+-]*\s*$/i;

/**
 * Spreadsheets with a decimal comma also split at semicolons, even inside quotes, so a formula may begin in the middle
 * of a cell.
 */
const SPLIT = /[;\t\r\n]/;

function protectText(text: string): string {
  if (NUMBER.test(text)) return EXACT.test(text) ? text : `'${text}`;
  if (MISREAD.test(text)) return `'${text}`;
  const inside = text.replace(/[;\s"]+/g, (run, at: number) =>
    SPLIT.test(run) && FORMULA.test(text.charAt(at + run.length)) ? `${run}'` : run,
  );
  return FORMULA.test(inside) ? `'${inside}` : inside;
}

/** Writes one cell (RFC 4180) that no spreadsheet evaluates, rounds or reads as another value. */
function formatCell(value: Cell): string {
  const text = protectText(String(value ?? ''));
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes a CSV file with a byte order mark, by which Excel reads it as UTF-8. */
export const formatCsv = (header: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${[header, ...rows].map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')}`;
