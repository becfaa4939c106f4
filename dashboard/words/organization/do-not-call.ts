import type { NumberView } from '../../../shared/messages/dashboard/do-not-call.ts';
import { formatCsv } from '../../app/files/csv.ts';
import type { NumbersFile } from '../../app/files/numbers-file.ts';
import { pluralize } from '../overview/overview.ts';
import { formatTimeInIndia } from '../times.ts';

/** Why a file cannot be imported, and what to do. */
export const fileRefusals: Readonly<Record<Extract<NumbersFile, { kind: 'refused' }>['reason'], string>> = {
  several_columns: 'The file has several columns of numbers. Choose one; the others can be imported after it.',
  too_many: 'The file has more than 50,000 lines. Split it.',
  no_text: 'This is not a text file. In Excel, save the sheet as CSV; then choose that file.',
  open_quote: 'A quotation mark in the file is never closed. Correct it.',
};

/**
 * The numbers that an import has added. `isUnsure`: the last request failed, and may have added some or all of its
 * numbers.
 */
export type Additions = { added: number; isUnsure: boolean };

/** "1,204 numbers added.", with "and perhaps more" if the last request may have added some. */
export function describeAdditions({ added, isUnsure }: Additions): string {
  if (!isUnsure) return `${pluralize(added, 'number', 'numbers')} added.`;
  if (added === 0) return 'Some numbers may have been added.';
  return `${pluralize(added, 'number', 'numbers')} added, and perhaps more.`;
}

const HEADER = ['phone', 'Added (UTC)', 'Added (India)', 'Added by', 'Requested in call'];

/** Writes numbers as a CSV file that can be imported again. Leaves out erased persons, whose numbers are unknown. */
export const doNotCallCsv = (numbers: readonly NumberView[]): string =>
  formatCsv(
    HEADER,
    numbers
      .filter(({ phone }) => phone !== null)
      .map(({ phone, added_at, call_id, added_by }) => [
        phone,
        added_at,
        formatTimeInIndia(added_at),
        added_by,
        call_id,
      ]),
  );
