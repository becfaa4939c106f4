import { mayBeId } from '../../../domain/ids.ts';
import { mayDecideAbout } from '../../../domain/organizations/members/member.ts';
import type { UserPoolPeople } from '../../../integrations/user-pool/people.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import { type AuditedChangeDeps, audited } from '../steps/audited-change.ts';
import type { ActingAs } from './invite-member.ts';

export type RemoveMemberDeps = AuditedChangeDeps & {
  pool: Pick<UserPoolPeople, 'remove'>;
  members: Pick<MemberStore, 'get' | 'removing'>;
  organizations: Pick<OrganizationStore, 'countingOwners'>;
};

export type RemovingMember = {
  /** `member_not_found` is also the result for a member of another organization. */
  kind: 'removed' | 'member_not_found' | 'not_permitted' | 'last_owner' | 'changed_meanwhile';
};

/**
 * Removes a member. The membership is removed first: from then on, all requests of the person are refused. If a crash
 * leaves the person in the user pool, they have no rights, and the next invitation finds them.
 */
export async function removeMember(
  deps: RemoveMemberDeps,
  { actor, role: ownRole }: ActingAs,
  { org_id, user_id }: { org_id: string; user_id: string },
): Promise<RemovingMember> {
  const member = mayBeId(user_id) ? await deps.members.get(user_id) : undefined;
  if (member?.org_id !== org_id) return { kind: 'member_not_found' };
  if (!mayDecideAbout(ownRole, member.role)) return { kind: 'not_permitted' };
  const { email, name, role } = member;
  const result = await deps.transact({
    member: deps.members.removing(member),
    owners: role === 'owner' ? deps.organizations.countingOwners(org_id, -1) : undefined,
    audit: audited(deps, {
      org_id,
      actor,
      action: 'member.removed',
      thing: { id: user_id, name: email },
      before: { email, name, role },
    }),
  });
  if (!result.committed) return { kind: result.refused.owners ? 'last_owner' : 'changed_meanwhile' };
  // The person may have been invited again since.
  if (!(await deps.members.get(user_id))) await deps.pool.remove(email);
  return { kind: 'removed' };
}
