import * as z from 'zod/mini';

/** Roles in ascending order of rights. Each has the rights of those before (docs/dashboard.md, "Roles"). */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** A person who works in the dashboard, for exactly one organization. */
export const memberSchema = z.object({
  /** The user pool's `sub`. */
  user_id: z.string(),
  org_id: z.string(),
  /** In lower case. */
  email: z.string(),
  name: z.string(),
  role: z.enum(roles),
  /** E.164, for test calls. */
  phone: z.optional(z.string()),
  created_at: z.string(),
  /** The person wants no e-mails about the organization, even if the role gets them. */
  has_no_emails: z.optional(z.boolean()),
  /** Access tokens from before this instant are refused. */
  sessions_from: z.optional(z.string()),
});

export type Member = z.infer<typeof memberSchema>;

/** Returns whether a role has the rights of another one. */
export const hasRightsOf = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

export const isRole = (text: unknown): text is Role => roles.some((role) => role === text);

/** Returns whether a role may give, change or take away another one. Only owners decide about owners. */
export const mayDecideAbout = (role: Role, other: Role): boolean =>
  hasRightsOf(role, 'admin') && (other !== 'owner' || role === 'owner');

/**
 * Returns whether an access token was issued before the person signed out everywhere.
 * @param issuedAt the token's `iat` in whole seconds, so a token of the exact second of the sign-out ends, too; NaN if
 * the token has no time
 */
export const isSessionEnded = ({ sessions_from }: Pick<Member, 'sessions_from'>, issuedAt: number): boolean =>
  sessions_from !== undefined && !(issuedAt > Math.floor(Date.parse(sessions_from) / 1000));

/** The longest user name that the user pool accepts (Cognito API reference, "AdminCreateUser"). */
const MAX_CHARACTERS_OF_AN_EMAIL = 128;

/** Returns the address in the form in which it is stored and compared; undefined if it is invalid. */
export function readEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= MAX_CHARACTERS_OF_AN_EMAIL && z.email().safeParse(email).success ? email : undefined;
}
