import { mayBeId } from '../../../domain/ids.ts';
import { type Member, mayDecideAbout, type Role } from '../../../domain/organizations/members/member.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import { type AuditedChangeDeps, audited } from '../steps/audited-change.ts';
import type { ActingAs } from './invite-member.ts';

export type ChangeRoleDeps = AuditedChangeDeps & {
  members: Pick<MemberStore, 'get' | 'changingRole'>;
  organizations: Pick<OrganizationStore, 'countingOwners'>;
};

export type ChangingRole =
  | { kind: 'changed'; member: Member }
  /** Also returned if the member belongs to another organization. */
  | { kind: 'member_not_found' }
  | { kind: 'not_permitted' }
  | { kind: 'last_owner' }
  /** Another person changed or removed the member at the same time. */
  | { kind: 'changed_meanwhile' };

/** Changes a member's role. Only owners can change owners, and the last owner remains an owner. */
export async function changeRole(
  deps: ChangeRoleDeps,
  { actor, role: ownRole }: ActingAs,
  { org_id, user_id, role }: { org_id: string; user_id: string; role: Role },
): Promise<ChangingRole> {
  const member = mayBeId(user_id) ? await deps.members.get(user_id) : undefined;
  if (member?.org_id !== org_id) return { kind: 'member_not_found' };
  if (!mayDecideAbout(ownRole, member.role) || !mayDecideAbout(ownRole, role)) return { kind: 'not_permitted' };
  if (member.role === role) return { kind: 'changed', member };
  const result = await deps.transact({
    member: deps.members.changingRole(member, role),
    owners: ownersAfter(deps, member, role),
    audit: audited(deps, {
      org_id,
      actor,
      action: 'member.role_changed',
      thing: { id: user_id, name: member.email },
      before: { role: member.role },
      after: { role },
    }),
  });
  if (result.committed) return { kind: 'changed', member: { ...member, role } };
  return { kind: result.refused.owners ? 'last_owner' : 'changed_meanwhile' };
}

function ownersAfter({ organizations }: ChangeRoleDeps, { org_id, role: from }: Member, to: Role) {
  if ((from === 'owner') === (to === 'owner')) return undefined;
  return organizations.countingOwners(org_id, to === 'owner' ? 1 : -1);
}
