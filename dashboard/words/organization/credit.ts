import type { LedgerEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import type { ListedCreditEntry } from '../../../shared/messages/dashboard/credit.ts';
import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';
import { formatCsv } from '../../app/files/csv.ts';
import { nameIn } from '../newer.ts';
import { formatCredits, formatTimeInIndia } from '../times.ts';

export const creditKindNames: Readonly<Record<LedgerEntry['kind'], string>> = {
  top_up: 'Top-up',
  hold: 'Hold',
  settlement: 'Settlement',
  release: 'Release',
};

/** The meaning of an entry. */
export const creditMeanings: Readonly<Record<LedgerEntry['kind'], string>> = {
  top_up: 'Credit was added or taken back by the operator.',
  hold: 'The call’s maximum cost is held.',
  settlement: 'The call is charged; the rest of its hold is free again.',
  release: 'The call’s hold is free again, without a charge.',
};

/** "+10", "−3", "0": with signs of the same width. */
export const formatSigned = (amount: number): string =>
  amount === 0 ? '0' : `${amount > 0 ? '+' : '−'}${formatCredits(Math.abs(amount))}`;

/** @returns the threshold that another person has set meanwhile, and how to replace it */
export const describeThresholdConflict = ({
  warn_below,
  updated_by,
}: Pick<OrganizationView, 'warn_below' | 'updated_by'>) =>
  `${warn_below === null ? 'There is none now' : `It is now ${formatCredits(warn_below)}`}. ${updated_by ?? 'Another person'} changed the organization last. Save again to replace the threshold.`;

const HEADER = ['Time (UTC)', 'Time (India)', 'Kind', 'Amount', 'Held', 'Phone', 'Seconds', 'Call', 'API key', 'Note'];

/** Writes entries of the ledger as a CSV file, in credits. */
export const creditCsv = (entries: readonly ListedCreditEntry[]): string =>
  formatCsv(
    HEADER,
    entries.map(({ at, kind, amount, held, call, call_id, key, reason }) => [
      at,
      formatTimeInIndia(at),
      nameIn(creditKindNames, kind),
      amount,
      held,
      call?.phone_number,
      call?.duration,
      call_id,
      key?.name,
      reason,
    ]),
  );
