import { hasRightsOf, isRole, mayDecideAbout } from '../../../shared/domain/organizations/members/member.ts';
import type { Me, MemberView } from '../../../shared/messages/dashboard/people.ts';
import type { DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { describeError } from '../../words/errors.ts';
import { requiredRoleSentences } from '../../words/people/roles.ts';
import { ApiError } from '../api/api-error.ts';

type Person = Pick<Me, 'role' | 'admins' | 'user_id'>;

const listFormat = new Intl.ListFormat('en-IN', { type: 'disjunction' });

/** @returns the people to contact, as a sentence; '' if none is known */
export function adminsToAsk({ admins }: Pick<Me, 'admins'>): string {
  return admins.length > 0 ? `Ask ${listFormat.format(admins.slice(0, 3).map(({ name }) => name))}.` : '';
}

/** @returns why this person may not use a route; undefined if the role allows it */
export function deniedReason(me: Person, route: Pick<DashboardRoute, 'role'>): string | undefined {
  if (route.role === 'none' || hasRightsOf(me.role, route.role)) return undefined;
  return `${requiredRoleSentences[route.role]} ${adminsToAsk(me)}`.trim();
}

/** @returns what to do about a failure; for lack of rights, the people to contact, as on a disabled button */
export function suggestedFix(error: unknown, me: Pick<Me, 'admins'> | undefined): string {
  const isRefused = error instanceof ApiError && error.code === 'not_permitted';
  return (isRefused && me && adminsToAsk(me)) || describeError(error).fix;
}

/** @returns why this person may not give that role */
export function deniedReasonToGiveRole(me: Person, role: string): string | undefined {
  if (isRole(role) && mayDecideAbout(me.role, role)) return undefined;
  return role === 'owner' && hasRightsOf(me.role, 'admin')
    ? 'Only owners can make someone an owner.'
    : requiredRoleSentences.admin;
}

/**
 * @param members those loaded so far
 * @param isComplete whether these are all members
 * @returns why the member's role cannot change, or why the member cannot be removed
 */
export function deniedReasonToChangeMember(
  me: Person,
  member: Pick<MemberView, 'role' | 'user_id'>,
  members: readonly Pick<MemberView, 'role' | 'user_id'>[],
  isComplete: boolean,
): string | undefined {
  if (!isRole(member.role)) return 'This role comes from a newer version.';
  if (!mayDecideAbout(me.role, member.role))
    return hasRightsOf(me.role, 'admin')
      ? 'Only owners can change or remove owners.'
      : `${requiredRoleSentences.admin} ${adminsToAsk(me)}`.trim();
  const owners = members.filter(({ role }) => role === 'owner').length;
  if (member.role === 'owner' && isComplete && owners <= 1)
    return 'An organization needs an owner. Make another member an owner first.';
  return undefined;
}
