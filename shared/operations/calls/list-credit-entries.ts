import type { Shown } from '../../domain/newer-values.ts';
import type { LedgerEntry } from '../../domain/organizations/ledger-entry.ts';
import type { CallBrief, CallBriefs } from '../../stores/calls/call-briefs.ts';
import type { Page } from '../../stores/dynamodb/reads.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';

export type ListCreditEntriesDeps = { ledger: Pick<CreditLedger, 'page'>; callBriefs: Pick<CallBriefs, 'get'> };

type Range = Parameters<CreditLedger['page']>[1];

/** Lists entries of an organization's ledger, newest first, each with its call (docs/dashboard.md, "Credit"). */
export async function listCreditEntries(
  { ledger, callBriefs }: ListCreditEntriesDeps,
  orgId: string,
  range: Range,
): Promise<Page<{ entry: Shown<LedgerEntry>; call: CallBrief | undefined }>> {
  const { items, last } = await ledger.page(orgId, range);
  const calls = await callBriefs.get(
    orgId,
    items.flatMap(({ call_id }) => call_id ?? []),
  );
  return {
    items: items.map((entry) => ({ entry, call: calls.get(entry.call_id ?? '') })),
    ...(last && { last }),
  };
}
