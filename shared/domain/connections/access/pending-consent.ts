import * as z from 'zod/mini';
import { type Actor, actorName, actorSchema } from '../../organizations/audit/audit-entry.ts';
import { secondsAfter } from '../../time/instants.ts';
import { compareOrganizations, organizationsOf } from './consent-identity.ts';
import { accessSchema, grantSchema } from './grant.ts';

/** How long a consent waits for its confirmation: the life of the access token that was issued with it. */
export const PENDING_SECONDS = 60 * 60;

/** The grace after the expiry, in which a confirmation that has already read the consent can end. */
const CONFIRMATION_SECONDS = 5 * 60;

/** How long the token of a consent is stored if it cannot be revoked: an hourly run then removes it within a day. */
const LONGEST_KEPT_SECONDS = 23 * 60 * 60;

/** A consent that waits for its confirmation. No work uses its grant. */
export const pendingConsentSchema = z.object({
  id: z.string(),
  /** With the identity, once the remote system has named it. */
  grant: grantSchema,
  access: accessSchema,
  begun_by: actorSchema,
  /** The hash of the cookie of the browser that began it; absent for the command line. */
  browser_hash: z.optional(z.string()),
  at: z.string(),
  expires_at: z.string(),
});

export type PendingConsent = z.infer<typeof pendingConsentSchema>;

type Waiting = { pending_consent?: PendingConsent | undefined };

/** Returns the pending consent; undefined without one, or if its hour is over. */
export const pendingOf = ({ pending_consent: pending }: Waiting, now: Date): PendingConsent | undefined =>
  pending && pending.expires_at > now.toISOString() ? pending : undefined;

/**
 * Returns whether an actor may confirm the pending consent. Operators may confirm any, because they vouch for the
 * person who asked them. Members may confirm their own, in the browser in which they began it.
 */
export function mayConfirm(connection: Waiting, by: Actor, browserHash: string | undefined, now: Date): boolean {
  const pending = pendingOf(connection, now);
  if (!pending) return false;
  const { begun_by, browser_hash } = pending;
  if (by.kind === 'operator') return true;
  const isOwn = begun_by.kind === 'member' && begun_by.user_id === by.user_id;
  return isOwn && browser_hash !== undefined && browser_hash === browserHash;
}

/** Returns whether the consent can no longer be confirmed, not even by a confirmation that is under way. */
export const isExpired = ({ expires_at }: PendingConsent, now: Date): boolean =>
  secondsAfter(expires_at, CONFIRMATION_SECONDS) <= now.toISOString();

/** Returns whether the token of the consent must be removed even if it is not revoked. */
export const isKeptTooLong = ({ at }: PendingConsent, now: Date): boolean =>
  secondsAfter(at, LONGEST_KEPT_SECONDS) <= now.toISOString();

/** Returns the consent as people see it, without tokens and hashes; null if no consent is pending. */
export function viewPendingConsent(connection: Waiting & Parameters<typeof organizationsOf>[0]) {
  const pending = connection.pending_consent;
  if (!pending) return null;
  const { id, grant, begun_by, at, expires_at } = pending;
  return {
    id,
    data_center: grant.data_center,
    organizations: grant.identity?.organizations ?? null,
    user: grant.identity?.user ?? null,
    /** The current organizations, if the consent is for another one, which requires an explicit confirmation. */
    instead_of:
      compareOrganizations(connection, grant.identity) === 'another' ? (organizationsOf(connection) ?? null) : null,
    begun_by: actorName(begun_by),
    at,
    expires_at,
  };
}
