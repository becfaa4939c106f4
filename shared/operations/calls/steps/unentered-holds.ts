import { type LedgerEntry, unenteredHold, unlistedHolds } from '../../../domain/organizations/ledger-entry.ts';
import type { CallPosition, CallStore } from '../../../stores/calls/calls.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type UnenteredHoldsDeps = {
  organizations: Pick<OrganizationStore, 'get'>;
  calls: Pick<CallStore, 'pageToShow'>;
  now: () => Date;
};

const CALLS_AT_ONCE = 100;
const MAX_PAGES = 20;
const MAX_TRIES = 3;

/**
 * Makes the entries of an organization's holds that the ledger gets at the end of their calls (docs/call-lifecycle.md,
 * "Money"). Calls that the index does not show yet, or that are not among the 2,000 newest, share one entry without a
 * call, so that the columns of the ledger still sum to its credit.
 * @returns newest first
 */
export async function unenteredHolds(deps: UnenteredHoldsDeps, orgId: string): Promise<LedgerEntry[]> {
  const sum = async () => (await deps.organizations.get(orgId))?.holds_unentered ?? 0;
  let wanted = await sum();
  for (let tries = 1; ; tries += 1) {
    const { holds, left } = await holdsOfNewest(deps, orgId, wanted);
    if (left <= 0) return holds;
    const now = await sum();
    // Unless a call has ended meanwhile, the index is older than the organization.
    if (now === wanted || tries === MAX_TRIES) return [unlistedHolds(orgId, left, deps.now().toISOString()), ...holds];
    wanted = now;
  }
}

/** Finds such holds among the newest calls. @returns also the units of `wanted` that it did not find */
async function holdsOfNewest({ calls }: UnenteredHoldsDeps, orgId: string, wanted: number) {
  const holds: LedgerEntry[] = [];
  let left = wanted;
  let before: CallPosition | undefined;
  for (let pages = 0; left > 0 && pages < MAX_PAGES; pages += 1) {
    const { items, last } = await calls.pageToShow(orgId, { limit: CALLS_AT_ONCE, ...(before && { before }) });
    const found = items.flatMap((call) => unenteredHold(call) ?? []);
    holds.push(...found);
    left -= found.reduce((total, { held }) => total + held, 0);
    if (!last) break;
    before = last;
  }
  return { holds, left };
}
