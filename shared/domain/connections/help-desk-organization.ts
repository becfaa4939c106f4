import type { Grant } from './access/grant.ts';
import type { Connection } from './connection.ts';

/** The help desk's organizations of a grant. Every request must name one of them (Zoho Desk v1, `orgId`). */
export type GrantedOrganizations = NonNullable<Grant['organizations']>;

/** The organization that gets the tickets of a connection. */
export type OrganizationChoice =
  | { kind: 'chosen'; orgId: string }
  /** The grant's organizations are unknown. `orgId` is an earlier choice, if any. */
  | { kind: 'not_asked'; orgId: string | undefined }
  /** A person must choose an organization or consent again. */
  | { kind: 'not_chosen'; reason: string };

/**
 * Returns the stored choice of an organization. It is valid only if the present grant may use it, because after a
 * consent by another account it could belong to a stranger.
 */
export function organizationOf({ settings, grant }: Pick<Connection, 'settings' | 'grant'>): OrganizationChoice {
  const orgId = typeof settings?.orgId === 'string' ? settings.orgId : undefined;
  const organizations = grant?.organizations;
  if (!organizations) return { kind: 'not_asked', orgId };
  if (orgId !== undefined && organizations.some(({ id }) => id === orgId)) return { kind: 'chosen', orgId };
  if (organizations.length === 0)
    return {
      kind: 'not_chosen',
      reason: 'the person who consented has no organization at the help desk: connect again',
    };
  const which = orgId === undefined ? 'no organization is chosen' : `the organization ${orgId} is not the grant's`;
  return {
    kind: 'not_chosen',
    reason: `${which}: connection update --settings '{"orgId": …}', one of ${organizations.map(labelOf).join(', ')}`,
  };
}

/** Explains that the help desk did not name the grant's organizations. */
export const unlisted = (reason: string): string =>
  `The help desk did not list its organizations (${reason}): the next ticket tries again.`;

/** Returns the settings with the grant's only organization; undefined if there are several or one is set. */
export function settingsWithOnlyOrganization(
  { settings = {} }: Pick<Connection, 'settings'>,
  organizations: Readonly<GrantedOrganizations>,
): NonNullable<Connection['settings']> | undefined {
  const [only, ...others] = organizations;
  // A set organization stays even if it is not in the list, because the set department belongs to it.
  if (!only || others.length > 0 || settings.orgId !== undefined) return undefined;
  return { ...settings, orgId: only.id };
}

const labelOf = ({ id, name }: GrantedOrganizations[number]): string => `${id} (${name})`;
