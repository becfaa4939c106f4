import { type Actor, type AuditAction, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import { allowedCountries, countriesAfter } from '../../domain/organizations/countries.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import {
  auditedSettings,
  type OrganizationSettings,
  organizationRevision,
} from '../../domain/organizations/organization-change.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';

export type UpdateOrganizationDeps = AuditedChangeDeps & {
  organizations: Pick<OrganizationStore, 'get' | 'updating' | 'storingAllowedCountries'>;
  /** Notifies hand-over-slots, because waiting calls may be dialed now. */
  handOverSlots: (work: { org_id: string; end_parking: true }) => Promise<void>;
};

export type OrganizationChange = {
  set?: Partial<OrganizationSettings>;
  /** Settings that return to their defaults. */
  remove?: readonly (keyof OrganizationSettings)[];
};

export type UpdatingOrganization =
  | { kind: 'updated'; org: Organization }
  /** Another change was stored since the one that the person saw. */
  | { kind: 'changed_meanwhile'; org: Organization }
  | { kind: 'org_not_found' };

/** Settings whose change may allow waiting calls to be dialed. */
const dialSettings = ['max_live_calls', 'suspended_at', 'daily_limit', 'voice_number_id'] as const;
const MAX_TRIES = 4;

/**
 * Changes settings of an organization, with their audit entry in the same transaction. A change without effect is not
 * recorded.
 * @param revision the one that the person saw; undefined applies the change to any revision
 * @throws if other writers keep changing the organization
 */
export async function updateOrganization(
  deps: UpdateOrganizationDeps,
  actor: Actor,
  { org_id, action = 'org.updated' }: { org_id: string; action?: AuditAction },
  change: OrganizationChange,
  revision?: number,
): Promise<UpdatingOrganization> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const org = await deps.organizations.get(org_id);
    if (!org) return { kind: 'org_not_found' };
    if (revision !== undefined && revision !== organizationRevision(org)) return { kind: 'changed_meanwhile', org };
    const updated = await tryUpdate(deps, actor, action, org, change);
    if (updated) return { kind: 'updated', org: updated };
  }
  throw new Error('other writers kept changing the organization');
}

/** @returns undefined if the organization has changed since it was read. */
async function tryUpdate(
  deps: UpdateOrganizationDeps,
  actor: Actor,
  action: AuditAction,
  org: Organization,
  { set: wanted = {}, remove = [] }: OrganizationChange,
): Promise<Organization | undefined> {
  const countries = wanted.countries ?? countriesAfter(org, wanted.default_region);
  const set = { ...wanted, ...(countries && { countries }) };
  const after = { ...org, ...set } as Organization;
  for (const name of remove) delete after[name as 'max_live_calls'];
  const [was, is] = [auditedSettings(org), auditedSettings(after)];
  if (JSON.stringify(was) === JSON.stringify(is)) return org;
  const { org_id, name } = org;
  const at = deps.now();
  const stamp = { revision: organizationRevision(org) + 1, updated_at: at.toISOString(), updated_by: actorName(actor) };
  const entry = { org_id, actor, action, thing: { id: org_id, name }, before: was, after: is };
  const allowed = allowedCountries(after);
  const result = await deps.transact({
    org: deps.organizations.updating(org, { ...set, ...stamp }, remove),
    countries: allowed && deps.organizations.storingAllowedCountries(org_id, allowed),
    audit: audited(deps, entry, at),
  });
  if (!result.committed) return undefined;
  if (dialSettings.some((setting) => org[setting] !== after[setting]))
    await deps.handOverSlots({ org_id, end_parking: true });
  return { ...after, ...stamp };
}
