import type { Role } from '../../../shared/domain/organizations/members/member.ts';
import { roles } from '../../../shared/domain/organizations/members/member.ts';
import {
  type NoticeKind,
  type NoticeRoles,
  noticeKinds,
} from '../../../shared/domain/organizations/members/notice-roles.ts';
import type { OrganizationView } from '../../../shared/messages/dashboard/organization.ts';
import { formatCredits } from '../times.ts';

type Org = Pick<OrganizationView, 'notices' | 'warn_below' | 'rate'>;

type Words = { title: string; when: string; link: { to: string; name: string } };

/** Describes a notice, when it is sent, and the page that it is about. */
export function noticeWords(kind: NoticeKind, { warn_below, rate }: Org): Words {
  switch (kind) {
    case 'low_credit':
      return {
        title: 'Low credit',
        when:
          warn_below === null
            ? `The credit is less than a minute costs (${formatCredits(rate)}). A threshold warns earlier.`
            : `Less than ${formatCredits(warn_below)} credits are left.`,
        link: { to: '/settings/organization', name: warn_below === null ? 'Set a threshold' : 'Change the threshold' },
      };
    case 'broken_connection':
      return {
        title: 'A broken connection',
        when: 'It needs a new consent, fails, delivers no leads, or its deliveries are refused.',
        link: { to: '/connections', name: 'See the connections' },
      };
  }
}

/** The roles from the most to the least powerful. */
export const rolesByRank: readonly Role[] = [...roles].reverse();

/** @returns the kinds whose roles were changed, in the API's form */
export function noticeChanges({ notices }: Org, chosen: NoticeRoles): { notices?: Partial<NoticeRoles> } {
  const isSame = (kind: NoticeKind) =>
    roles.every((role) => notices[kind].includes(role) === chosen[kind].includes(role));
  const changed = noticeKinds.filter((kind) => !isSame(kind));
  return changed.length > 0 ? { notices: Object.fromEntries(changed.map((kind) => [kind, chosen[kind]])) } : {};
}
