import { hasRightsOf, type Member } from '../../../domain/organizations/members/member.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type ShowMeDeps = {
  members: Pick<MemberStore, 'withRoles'>;
  organizations: Pick<OrganizationStore, 'get'>;
};

/** The number of members searched for admins, and the number of admins named. */
const READ_MEMBERS = 100;
const NAMED_ADMINS = 5;

/**
 * Reads a member's organization and, for members without an admin's rights, some admins who can grant rights.
 * @throws if the organization does not exist
 */
export async function showMe(
  { members, organizations }: ShowMeDeps,
  { org_id, role }: Member,
): Promise<{ org: Organization; admins: Member[] }> {
  const [org, admins] = await Promise.all([
    organizations.get(org_id),
    hasRightsOf(role, 'admin') ? [] : members.withRoles(org_id, ['admin', 'owner'], READ_MEMBERS),
  ]);
  if (!org) throw new Error(`the organization ${org_id} does not exist`);
  return { org, admins: admins.slice(0, NAMED_ADMINS) };
}
