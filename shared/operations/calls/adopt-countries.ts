import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import { allowedCountries } from '../../domain/organizations/countries.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import { organizationRevision } from '../../domain/organizations/organization-change.ts';
import { destinationOf } from '../../domain/text/destination.ts';
import type { CallPosition, CallStore } from '../../stores/calls/calls.ts';
import type { OrganizationScan } from '../../stores/organizations/organization-scan.ts';
import { type UpdateOrganizationDeps, updateOrganization } from '../organizations/update-organization.ts';

export type AdoptCountriesDeps = UpdateOrganizationDeps & { calls: Pick<CallStore, 'pageOfOrg'> };

export type AdoptingCountries =
  | { kind: 'adopted'; org: Organization }
  /** It already has a list of countries, which stays unchanged. */
  | { kind: 'has_countries'; org: Organization }
  /** Its settings have changed while its calls were read. A repeat tries again. */
  | { kind: 'changed_meanwhile'; org: Organization }
  | { kind: 'org_not_found' };

/** The results for all organizations. `error`: why the organization did not get a list. */
export type AdoptingAll = {
  adopted: { org_id: string; countries: string[] }[];
  failed: { org_id: string; error: unknown }[];
};

const CALLS_OF_A_PAGE = 500;
const ORGS_OF_A_PAGE = 100;

/**
 * Limits an organization without a list of countries to its region and the countries of its calls so far
 * (docs/deploy.md, "Limit the countries of organizations"). Reads all calls of the organization. A repeat changes
 * nothing.
 */
export async function adoptCountries(
  deps: AdoptCountriesDeps,
  actor: Actor,
  org: Organization,
): Promise<AdoptingCountries> {
  if (org.countries) return { kind: 'has_countries', org };
  const called = await calledCountries(deps, org.org_id);
  called.delete(org.default_region);
  const change = { set: { countries: [...called].sort() } };
  const updating = await updateOrganization(deps, actor, { org_id: org.org_id }, change, organizationRevision(org));
  return updating.kind === 'updated' ? { kind: 'adopted', org: updating.org } : updating;
}

/**
 * Limits every organization that has no list of countries yet, one after the other. A failure of one does not stop the
 * others, and a repeat continues with those that still have no list.
 */
export async function adoptAllCountries(
  deps: AdoptCountriesDeps & { organizationScan: OrganizationScan },
  actor: Actor,
): Promise<AdoptingAll> {
  const all: AdoptingAll = { adopted: [], failed: [] };
  for await (const org_id of deps.organizationScan.withoutCountries(ORGS_OF_A_PAGE))
    try {
      const org = await deps.organizations.get(org_id);
      const adopting = org && (await adoptCountries(deps, actor, org));
      if (adopting?.kind === 'adopted') all.adopted.push({ org_id, countries: allowedCountries(adopting.org) ?? [] });
      if (adopting?.kind === 'changed_meanwhile')
        all.failed.push({ org_id, error: new Error('its settings have changed meanwhile') });
    } catch (error) {
      all.failed.push({ org_id, error });
    }
  return all;
}

async function calledCountries({ calls }: AdoptCountriesDeps, orgId: string): Promise<Set<string>> {
  const countries = new Set<string>();
  for (let before: CallPosition | undefined; ; ) {
    const { items, last } = await calls.pageOfOrg(orgId, { limit: CALLS_OF_A_PAGE, ...(before && { before }) });
    for (const { phone_number } of items) {
      const { country, isOrdinary } = destinationOf(phone_number);
      if (isOrdinary && country !== undefined) countries.add(country);
    }
    if (!last) return countries;
    before = last;
  }
}
