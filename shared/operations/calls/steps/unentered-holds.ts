import { type LedgerEntry, unenteredHold, unlistedHolds } from '../../../domain/organizations/ledger-entry.ts';
import type { CallPosition, CallStore } from '../../../stores/calls/calls.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type UnenteredHoldsDeps = {
  organizations: Pick<OrganizationStore, 'get'>;
  calls: Pick<CallStore, 'pageToShow' | 'unentered'>;
  now: () => Date;
};

const CALLS_AT_ONCE = 100;
const MAX_PAGES = 20;

/**
 * Builds the ledger entries of an organization's holds that the ledger gets only at the end of their calls
 * (docs/call-lifecycle.md, "Money"). Calls that the index does not show yet, or that are not among the 2,000 newest,
 * share one entry without a call, so that the columns of the ledger still sum to its credit.
 * @returns newest first
 */
export async function unenteredHolds(deps: UnenteredHoldsDeps, orgId: string): Promise<LedgerEntry[]> {
  const sum = async () => (await deps.organizations.get(orgId))?.holds_unentered ?? 0;
  let wanted = await sum();
  let holds: LedgerEntry[] = [];
  const left = () => holds.reduce((rest, { held }) => rest - held, wanted);
  let before: CallPosition | undefined;
  for (let pages = 1; left() > 0; pages += 1) {
    const { items, last } = await deps.calls.pageToShow(orgId, { limit: CALLS_AT_ONCE, ...(before && { before }) });
    holds.push(...items.flatMap((call) => unenteredHold(call) ?? []));
    before = pages < MAX_PAGES ? last : undefined;
    if (before && left() > 0) continue;
    // The hold of a call that has just ended, or was placed since the sum was read, would be taken for an older call's.
    const ids = holds.flatMap(({ call_id }) => call_id ?? []);
    const [open, now] = await Promise.all([deps.calls.unentered(ids), sum()]);
    holds = holds.filter(({ call_id }) => open.has(call_id ?? ''));
    wanted = now;
    if (!before) break;
  }
  return left() > 0 ? [unlistedHolds(orgId, left(), deps.now().toISOString()), ...holds] : holds;
}
