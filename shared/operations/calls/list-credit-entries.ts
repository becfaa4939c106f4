import type { Shown } from '../../domain/newer-values.ts';
import type { LedgerEntry } from '../../domain/organizations/ledger-entry.ts';
import type { CallBrief, CallBriefs } from '../../stores/calls/call-briefs.ts';
import { isInRange } from '../../stores/dynamodb/dated-entries.ts';
import type { Page } from '../../stores/dynamodb/reads.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import { type UnenteredHoldsDeps, unenteredHolds } from './steps/unentered-holds.ts';

export type ListCreditEntriesDeps = UnenteredHoldsDeps & {
  ledger: Pick<CreditLedger, 'page'>;
  callBriefs: Pick<CallBriefs, 'get'>;
};

type Range = Parameters<CreditLedger['page']>[1];
type Entry = Shown<LedgerEntry>;

/** Lists entries of an organization's ledger, newest first, each with its call (docs/dashboard.md, "Credit"). */
export async function listCreditEntries(
  deps: ListCreditEntriesDeps,
  orgId: string,
  range: Range,
): Promise<Page<{ entry: Entry; call: CallBrief | undefined }, { entry: string }>> {
  // Holds first, so that the hold of a call that ends meanwhile is in both lists rather than in neither.
  const holds = (await unenteredHolds(deps, orgId)).filter(({ entry }) => isInRange(entry, range));
  const { items, last } = await deps.ledger.page(orgId, range);
  const oldest = last && items.at(-1)?.entry;
  const all = merged(holds, items).filter(({ entry }) => oldest === undefined || entry >= oldest);
  const page = all.slice(0, range.limit);
  const isCut = last !== undefined || page.length < all.length;
  const calls = await deps.callBriefs.get(
    orgId,
    page.flatMap(({ call_id }) => call_id ?? []),
  );
  const shown = page.at(-1);
  return {
    items: page.map((entry) => ({ entry, call: calls.get(entry.call_id ?? '') })),
    ...(isCut && shown && { last: { entry: shown.entry } }),
  };
}

/** Lists the newest entries of an organization's ledger, newest first. */
export async function newestCreditEntries(
  deps: UnenteredHoldsDeps & { ledger: Pick<CreditLedger, 'list'> },
  orgId: string,
  limit: number,
): Promise<Entry[]> {
  const holds = await unenteredHolds(deps, orgId);
  return merged(holds, await deps.ledger.list(orgId, limit)).slice(0, limit);
}

/** Merges holds into entries, newest first. A hold that the ledger already contains appears once. */
function merged(holds: readonly LedgerEntry[], entries: readonly Entry[]): Entry[] {
  const all = new Map<string, Entry>([...holds, ...entries].map((entry) => [entry.entry, entry]));
  return [...all.values()].sort((one, other) => (one.entry < other.entry ? 1 : -1));
}
