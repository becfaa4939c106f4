import * as z from 'zod/mini';
import { isRole, type Role, roles } from './member.ts';

/** The kinds of notices that are also sent by e-mail (docs/notices.md). */
export const noticeKinds = ['low_credit', 'broken_connection'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const someRoles = z.array(z.enum(roles));

/** The roles that get e-mails, by kind. */
export const noticeRolesSchema = z.object({ low_credit: someRoles, broken_connection: someRoles });
export type NoticeRoles = z.infer<typeof noticeRolesSchema>;

/**
 * These roles as an organization stores them. A newer version may have other roles, which must not stop the
 * organization's calls.
 */
export const storedNoticeRolesSchema = z.object({
  low_credit: z.array(z.string()),
  broken_connection: z.array(z.string()),
});
type Stored = z.infer<typeof storedNoticeRolesSchema>;

const actingRoles: Role[] = ['admin', 'owner'];

/** Returns the roles that get e-mails, except roles of newer versions. The default is the roles that can act. */
export const noticeRolesOf = ({ notices }: { notices?: Stored | undefined }): NoticeRoles =>
  notices
    ? { low_credit: notices.low_credit.filter(isRole), broken_connection: notices.broken_connection.filter(isRole) }
    : { low_credit: actingRoles, broken_connection: actingRoles };

type Wanted = { [Kind in NoticeKind]?: readonly Role[] | undefined };

/**
 * Returns the roles after a change of some kinds, each role once, in ascending order of rights. Roles of newer versions
 * stay.
 */
export function changedNoticeRoles(org: { notices?: Stored | undefined }, wanted: Wanted): Stored {
  const before = noticeRolesOf(org);
  const after = (kind: NoticeKind) => [
    ...roles.filter((role) => (wanted[kind] ?? before[kind]).includes(role)),
    ...(org.notices?.[kind] ?? []).filter((role) => !isRole(role)),
  ];
  return { low_credit: after('low_credit'), broken_connection: after('broken_connection') };
}
