import type { ErasedRecord } from '../../shared/domain/after-call/erasure/erased-record.ts';
import { Refusal } from './failures.ts';
import { table } from './output.ts';

/** Draws the results for records in remote systems. @returns undefined if there are none. */
export function showRecords(records: readonly ErasedRecord[]): string | undefined {
  if (records.length === 0) return undefined;
  const rows = records.map(({ system, record, id, outcome, reason }) => [system, record, id, outcome, reason]);
  return table(['system', 'record', 'id', 'outcome', 'why'], rows, '');
}

/** @param what was erased, without a full stop. @param reasons why records are left. */
export const recordsNotErased = (what: string, reasons: readonly string[], facts: object): Refusal =>
  new Refusal(
    'records_not_erased',
    `${what}, but records are left in CRM-B or the help desk (${reasons.join('; ')}): remove the cause, then run the command again.`,
    { ...facts },
  );
