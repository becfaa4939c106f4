import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import {
  type Member,
  mayDecideAbout,
  memberSchema,
  type Role,
  readEmail,
} from '../../../domain/organizations/members/member.ts';
import { secondsToNextMinute } from '../../../domain/organizations/rate-limit.ts';
import type { UserPoolPeople } from '../../../integrations/user-pool/people.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';
import { type AuditedChangeDeps, audited } from '../steps/audited-change.ts';

export type InviteMemberDeps = AuditedChangeDeps & {
  pool: Pick<UserPoolPeople, 'add' | 'find' | 'inviteAgain'>;
  members: Pick<MemberStore, 'adding'>;
  organizations: Pick<OrganizationStore, 'countingOwners'>;
  /** Undefined for operators, who are not limited. */
  rateLimits?: Pick<RateLimitStore, 'count'>;
  /** Creates a first password if the stage sends no e-mails; absent if the user pool creates and mails it. */
  firstPassword?: () => string;
};

/** The actor with the role; operators may manage every member. */
export type ActingAs = { actor: Actor; role: Role };

export type Inviting =
  | { kind: 'invited'; member: Member; isRepeat: boolean; firstPassword?: string }
  | { kind: 'not_permitted' }
  | { kind: 'invalid_email' }
  | { kind: 'too_many_invitations'; resetSeconds: number }
  /** The person belongs to another organization, or to this one in another role or with a password of their own. */
  | { kind: 'address_in_use'; member?: Member };

/**
 * The limit per organization and clock minute, because each invitation sends an e-mail from the stage's quota
 * (docs/dashboard.md, "Roles").
 */
const MAX_OF_AN_ORG = 20;

/**
 * Invites a person, who gets a first password by e-mail. The person is created before the membership: a repeat after a
 * crash finds the person and continues. A repeat for a member who has not signed in resends the e-mail.
 */
export async function inviteMember(
  deps: InviteMemberDeps,
  { actor, role: ownRole }: ActingAs,
  { org_id, email: address, name, role }: { org_id: string; email: string; name: string; role: Role },
): Promise<Inviting> {
  if (!mayDecideAbout(ownRole, role)) return { kind: 'not_permitted' };
  const email = readEmail(address);
  if (email === undefined) return { kind: 'invalid_email' };
  const epochMs = deps.now().getTime();
  const invitations = (await deps.rateLimits?.count(`invitations#${org_id}`, epochMs)) ?? 0;
  if (invitations > MAX_OF_AN_ORG) return { kind: 'too_many_invitations', resetSeconds: secondsToNextMinute(epochMs) };
  const firstPassword = deps.firstPassword?.();
  const shown = firstPassword === undefined ? {} : { firstPassword };
  const added = await deps.pool.add(email, firstPassword);
  const person = added ? { userId: added, hasOwnPassword: false } : await deps.pool.find(email);
  // Removed between the two requests: the next try creates the person again.
  if (!person) throw new Error('the person was removed from the user pool during the invitation: invite again');

  const at = deps.now();
  const member: Member = { user_id: person.userId, org_id, email, name, role, created_at: at.toISOString() };
  const { user_id } = member;
  const result = await deps.transact({
    member: deps.members.adding(member),
    owners: role === 'owner' ? deps.organizations.countingOwners(org_id, 1) : undefined,
    audit: audited(
      deps,
      { org_id, actor, action: 'member.invited', thing: { id: user_id, name: email }, after: { email, name, role } },
      at,
    ),
  });
  if (result.committed) {
    if (!added && !person.hasOwnPassword) await deps.pool.inviteAgain(email, firstPassword);
    return { kind: 'invited', member, isRepeat: false, ...(person.hasOwnPassword ? {} : shown) };
  }
  if (!result.refused.member) throw new Error(`the organization ${org_id} does not exist`);
  const stored = memberSchema.parse(result.refused.member.item);
  if (stored.org_id !== org_id) return { kind: 'address_in_use' };
  if (stored.role !== role || person.hasOwnPassword) return { kind: 'address_in_use', member: stored };
  await deps.pool.inviteAgain(email, firstPassword);
  return { kind: 'invited', member: stored, isRepeat: true, ...shown };
}
