import * as z from 'zod/mini';
import { type Role, roles } from './member.ts';

/** The kinds of notices that are also sent by e-mail (docs/notices.md). */
export const noticeKinds = ['low_credit', 'broken_connection'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const someRoles = z.array(z.enum(roles));

/** The roles that get e-mails, by kind. */
export const noticeRolesSchema = z.object({ low_credit: someRoles, broken_connection: someRoles });
export type NoticeRoles = z.infer<typeof noticeRolesSchema>;

const whoMayAct: Role[] = ['admin', 'owner'];

/** Returns the roles that get e-mails: by default, those that can act. */
export const noticeRolesOf = ({ notices }: { notices?: NoticeRoles | undefined }): NoticeRoles =>
  notices ?? { low_credit: whoMayAct, broken_connection: whoMayAct };

type Wanted = { [Kind in NoticeKind]?: readonly Role[] | undefined };

/** Returns the roles after a change of some kinds, each role once, from the least to the most. */
export function changedNoticeRoles(org: { notices?: NoticeRoles | undefined }, wanted: Wanted): NoticeRoles {
  const before = noticeRolesOf(org);
  const after = (kind: NoticeKind) => roles.filter((role) => (wanted[kind] ?? before[kind]).includes(role));
  return { low_credit: after('low_credit'), broken_connection: after('broken_connection') };
}
