import { prefixesOf } from '../../../domain/text/national-number.ts';
import { isE164 } from '../../../domain/text/phone-number.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type FindNumbersDeps = {
  doNotCall: Pick<DoNotCallStore, 'page' | 'getErased'>;
  organizations: Pick<OrganizationStore, 'get'>;
};

type Search = {
  /** The beginning of the numbers, as people type it; undefined finds all. */
  typed?: string | undefined;
  limit: number;
  /** The last number of the previous page. */
  after?: string;
};

type Page = Awaited<ReturnType<DoNotCallStore['page']>>;

/**
 * Finds numbers of the do-not-call list by their beginning. Digits without a plus sign are first tried as numbers of
 * the organization's region and, if none match, as starting with a country code (docs/dashboard.md, "Do-not-call
 * list"). An erased person's number is found only in full.
 * @returns a page, sorted by number
 */
export async function findNumbers(deps: FindNumbersDeps, orgId: string, search: Search): Promise<Page> {
  const { typed, limit, after } = search;
  let found: Page = { items: [] };
  for (const prefix of await candidates(deps, orgId, typed)) {
    const [page, erased] = await Promise.all([
      deps.doNotCall.page(orgId, { limit, ...(prefix && { prefix }), ...(after !== undefined && { after }) }),
      isE164(prefix) && after === undefined ? deps.doNotCall.getErased(orgId, prefix) : undefined,
    ]);
    found = erased ? { ...page, items: [erased, ...page.items] } : page;
    if (found.items.length > 0) break;
  }
  return found;
}

async function candidates(
  { organizations }: FindNumbersDeps,
  orgId: string,
  typed: string | undefined,
): Promise<(string | undefined)[]> {
  if (typed === undefined || typed.startsWith('+')) return [typed];
  const org = await organizations.get(orgId);
  if (!org) throw new Error(`the organization ${orgId} does not exist`);
  return prefixesOf(typed, org.default_region);
}
