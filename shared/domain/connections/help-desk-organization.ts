import type { Connection } from './connection.ts';
import type { Grant } from './grant.ts';

/** Those of the help desk that a grant may use: every request must name one of them (Zoho Desk v1, `orgId`). */
export type GrantedOrganizations = NonNullable<Grant['organizations']>;

/** Where the tickets of a connection go. */
export type OrganizationChoice =
  | { kind: 'chosen'; orgId: string }
  /** Which organizations the grant may use is not known. @param orgId the one that was chosen before, if any. */
  | { kind: 'not_asked'; orgId: string | undefined }
  /** Somebody has to choose, or to consent anew; in words. */
  | { kind: 'not_chosen'; reason: string };

/**
 * @returns where tickets go, by what is stored. A chosen organization counts only among those that the present grant may
 * use: after a consent by another account it could be a stranger's.
 */
export function organizationOf({ settings, grant }: Pick<Connection, 'settings' | 'grant'>): OrganizationChoice {
  const orgId = typeof settings?.orgId === 'string' ? settings.orgId : undefined;
  const organizations = grant?.organizations;
  if (!organizations) return { kind: 'not_asked', orgId };
  if (orgId !== undefined && organizations.some(({ id }) => id === orgId)) return { kind: 'chosen', orgId };
  if (organizations.length === 0)
    return { kind: 'not_chosen', reason: 'whoever consented has no organization at the help desk: connect again' };
  const which = orgId === undefined ? 'no organization is chosen' : `the organization ${orgId} is not the grant's`;
  return {
    kind: 'not_chosen',
    reason: `${which}: connection update --settings '{"orgId": …}', one of ${organizations.map(inWords).join(', ')}`,
  };
}

/** @returns the settings with the one organization that there is; undefined where there is nothing to set by itself. */
export function settingsWithOnlyOrganization(
  { settings = {} }: Pick<Connection, 'settings'>,
  organizations: Readonly<GrantedOrganizations>,
): NonNullable<Connection['settings']> | undefined {
  const [only, ...others] = organizations;
  // A chosen one that is none of them stays: its department would not be the other's.
  if (!only || others.length > 0 || settings.orgId !== undefined) return undefined;
  return { ...settings, orgId: only.id };
}

const inWords = ({ id, name }: GrantedOrganizations[number]): string => `${id} (${name})`;
