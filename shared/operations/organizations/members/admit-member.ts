import { hasRightsOf, isSessionEnded, type Member, type Role } from '../../../domain/organizations/members/member.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';

/** Claims of an access token, as the gateway's authorizer has checked and passed them on. */
type Claims = Readonly<Record<string, unknown>>;

export type MemberAdmission =
  | { kind: 'admitted'; member: Member }
  | { kind: 'session_ended' }
  | { kind: 'no_membership' }
  | { kind: 'not_permitted'; needed: Role };

export type AdmitMember = (claims: Claims, needed: Role) => Promise<MemberAdmission>;

/**
 * Admits a dashboard request: the token identifies the person, the Members table the organization and the role
 * (docs/dashboard.md, "Roles"). The member is read at every request, so that a removal or a new role applies at once.
 */
export const memberAdmission =
  ({ members }: { members: Pick<MemberStore, 'get'> }): AdmitMember =>
  async ({ sub, token_use, iat }, needed) => {
    // The authorizer accepts id tokens, too.
    if (token_use !== 'access' || typeof sub !== 'string') return { kind: 'session_ended' };
    const member = await members.get(sub);
    if (!member) return { kind: 'no_membership' };
    if (isSessionEnded(member, Number(iat))) return { kind: 'session_ended' };
    return hasRightsOf(member.role, needed) ? { kind: 'admitted', member } : { kind: 'not_permitted', needed };
  };
