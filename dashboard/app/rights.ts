import { hasRightsOf, mayDecideAbout, type Role } from '../../shared/domain/organizations/member.ts';
import type { Me, MemberView } from '../../shared/messages/dashboard/people.ts';
import type { DashboardRoute } from '../../shared/messages/dashboard/route.ts';
import { wordsFor } from '../words/errors.ts';
import { needed } from '../words/roles.ts';
import { ApiError } from './api-error.ts';

type Asker = Pick<Me, 'role' | 'admins' | 'user_id'>;

const named = new Intl.ListFormat('en-IN', { type: 'disjunction' });

/** @returns whom to ask, as a sentence; '' where nobody is known */
export function whomToAsk({ admins }: Pick<Me, 'admins'>): string {
  return admins.length > 0 ? `Ask ${named.format(admins.slice(0, 3).map(({ name }) => name))}.` : '';
}

/** @returns why this person may not use a route; undefined where the role allows it */
export function refusal(me: Asker, route: Pick<DashboardRoute, 'role'>): string | undefined {
  if (route.role === 'none' || hasRightsOf(me.role, route.role)) return undefined;
  return `${needed[route.role]} ${whomToAsk(me)}`.trim();
}

/** @returns what to do about a failure; a refused person is told whom to ask, as by a disabled button */
export function wayOn(error: unknown, me: Pick<Me, 'admins'> | undefined): string {
  const isRefused = error instanceof ApiError && error.code === 'not_permitted';
  return (isRefused && me && whomToAsk(me)) || wordsFor(error).fix;
}

/** @returns why this person may not give that role */
export function refusalToGive(me: Asker, role: Role): string | undefined {
  if (mayDecideAbout(me.role, role)) return undefined;
  return role === 'owner' && hasRightsOf(me.role, 'admin') ? 'Only owners make others owners.' : needed.admin;
}

/**
 * @param members all that are loaded
 * @param isComplete whether there are no more
 * @returns why the role of that member cannot change, or the member cannot be removed
 */
export function refusalToChange(
  me: Asker,
  member: Pick<MemberView, 'role' | 'user_id'>,
  members: readonly Pick<MemberView, 'role' | 'user_id'>[],
  isComplete: boolean,
): string | undefined {
  if (!mayDecideAbout(me.role, member.role))
    return hasRightsOf(me.role, 'admin')
      ? 'Only owners decide about owners.'
      : `${needed.admin} ${whomToAsk(me)}`.trim();
  const owners = members.filter(({ role }) => role === 'owner').length;
  if (member.role === 'owner' && isComplete && owners <= 1)
    return 'The last owner stays. Make somebody else an owner first.';
  return undefined;
}
