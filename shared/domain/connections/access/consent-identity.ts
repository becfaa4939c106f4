import * as z from 'zod/mini';
import { plainText } from '../../text/plain-text.ts';
import { visibleText } from '../../text/visible-text.ts';

const organizations = z.array(z.object({ id: z.string(), name: z.string() }));

/** The identity behind a consent, as the remote system names it. */
export const consentIdentitySchema = z.object({
  /** One at CRM-B; at the help desk, all that the grant may use. */
  organizations,
  /** Absent if the remote system did not name the person. */
  user: z.optional(z.object({ name: z.string(), email: z.string() })),
});

export const knownOrganizationsSchema = organizations;

export type ConsentIdentity = z.infer<typeof consentIdentitySchema>;
export type KnownOrganizations = z.infer<typeof organizations>;

/**
 * Returns the organizations of the remote system to which the connection belongs: those of the last grant, even after
 * it has ended. Grants from before identities were read have no such record, except at the help desk.
 */
export const organizationsOf = ({ known_organizations, grant }: Known): KnownOrganizations | undefined =>
  known_organizations ?? grant?.organizations;

/** The part of a connection that names its organizations. */
type Known = {
  known_organizations?: KnownOrganizations | undefined;
  grant?: { organizations?: KnownOrganizations | undefined } | undefined;
};

/**
 * Compares a consent with the connection's organizations (docs/crm-b.md, "Another organization").
 * @param identity undefined if it could not be read
 * @returns `unknown` if the connection has organizations and the consent's are not known
 */
export function compareOrganizations(
  connection: Known,
  identity: ConsentIdentity | undefined,
): 'first' | 'same' | 'another' | 'unknown' {
  const known = organizationsOf(connection);
  if (!known?.length) return 'first';
  if (!identity) return 'unknown';
  const isKnown = ({ id }: { id: string }) => known.some((one) => one.id === id);
  return identity.organizations.some(isKnown) ? 'same' : 'another';
}

const MAX_CHARACTERS = 120;

/** Sanitizes a name or an address for display, because strangers choose them. */
export const identityText = (text: string): string =>
  plainText(visibleText(text).replace(/\s+/g, ' '), MAX_CHARACTERS).trim();
