import * as z from 'zod/mini';
import { orNewer } from '../../domain/newer-values.ts';
import { auditActions, authorKinds } from '../../domain/organizations/audit/audit-entry.ts';
import { roles } from '../../domain/organizations/members/member.ts';
import { trimmedText } from '../../domain/text/trimmed-text.ts';
import { instant, page } from './page.ts';
import type { DashboardRoute } from './route.ts';

const role = z.enum(roles);
const name = trimmedText(100);

/** A member as the dashboard shows it. */
export const member = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  created_at: z.string(),
});

const listedMember = z.object({ ...member.shape, role: orNewer(roles) });

export type MemberView = z.infer<typeof listedMember>;

/** The signed-in person. */
export const me = z.object({
  ...member.shape,
  phone: z.nullable(z.string()),
  /** Whether the person gets e-mails that the organization sends to the role. */
  email_notices: z.boolean(),
  org: z.object({
    org_id: z.string(),
    name: z.string(),
    default_region: z.string(),
    /** Credits. */
    available: z.number(),
    held: z.number(),
    /** For a started minute, in countries without a rate of their own. */
    rate: z.number(),
    /** The lowest and the highest rate among the countries that may be called. */
    least_rate: z.number(),
    most_rate: z.number(),
    is_suspended: z.boolean(),
  }),
  /** Up to five admins and owners, who can grant rights; empty for an admin or owner. */
  admins: z.array(z.object({ name: z.string(), email: z.string() })),
  /** The stage's name. */
  stage: z.string(),
});

export type Me = z.infer<typeof me>;

export const showMe = { method: 'GET', path: '/me', role: 'viewer', answer: me } as const satisfies DashboardRoute;

export const updateMe = {
  method: 'PATCH',
  path: '/me',
  role: 'viewer',
  request: z.strictObject({
    name: z.optional(name),
    /** In any usual form; null removes it. */
    phone: z.optional(z.nullable(z.string().check(z.maxLength(40)))),
    email_notices: z.optional(z.boolean()),
  }),
  answer: me,
} as const satisfies DashboardRoute;

export const listMembers = {
  method: 'GET',
  path: '/members',
  role: 'admin',
  query: z.object(page),
  answer: z.object({ items: z.array(listedMember), next: z.nullable(z.string()) }),
} as const satisfies DashboardRoute;

export const inviteMember = {
  method: 'POST',
  path: '/members',
  role: 'admin',
  request: z.strictObject({ email: z.string().check(z.maxLength(254)), name, role }),
  answer: z.object({
    member,
    /** Whether the person was invited before and only gets the e-mail again. */
    is_repeat: z.boolean(),
    /** Only if the stage returns first passwords instead of mailing them, as the local stage does. */
    first_password: z.optional(z.string()),
  }),
} as const satisfies DashboardRoute;

export const changeRole = {
  method: 'PATCH',
  path: '/members/{id}',
  role: 'admin',
  request: z.strictObject({ role }),
  answer: member,
} as const satisfies DashboardRoute;

export const removeMember = {
  method: 'DELETE',
  path: '/members/{id}',
  role: 'admin',
} as const satisfies DashboardRoute;

const auditEntry = z.object({
  entry: z.string(),
  at: z.string(),
  actor: z.object({ kind: orNewer(authorKinds), name: z.string() }),
  action: orNewer(auditActions),
  thing: z.object({ id: z.string(), name: z.string() }),
  before: z.nullable(z.record(z.string(), z.unknown())),
  after: z.nullable(z.record(z.string(), z.unknown())),
});

export type AuditEntryView = z.infer<typeof auditEntry>;

export const listAuditEntries = {
  method: 'GET',
  path: '/audit-entries',
  role: 'admin',
  query: z.object({
    ...page,
    action: z.optional(z.enum(auditActions)),
    /** Part of a member's e-mail address or of an operator's name; upper and lower case are equal. */
    actor: z.optional(z.string().check(z.maxLength(254))),
    /** Id of the changed object, or part of its name. */
    thing: z.optional(z.string().check(z.maxLength(100))),
    from: z.optional(instant),
    to: z.optional(instant),
  }),
  answer: z.object({
    items: z.array(auditEntry),
    next: z.nullable(z.string()),
    /** How far a filtered list has searched. */
    searched_to: z.nullable(z.string()),
  }),
} as const satisfies DashboardRoute;
