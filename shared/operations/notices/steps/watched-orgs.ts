import type { Organization } from '../../../domain/organizations/organization.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

const PAGE = 50;

/**
 * Yields every watched organization once, page by page.
 * @param after the organization after which the round begins, and with which it ends
 * @param onUnreadable receives an organization that cannot be read
 */
export async function* watchedOrgs(
  organizations: Pick<OrganizationStore, 'watched' | 'getMany'>,
  after: string | undefined,
  onUnreadable: (orgId: string) => void,
): AsyncGenerator<Organization[]> {
  yield* pages(organizations, after, undefined, onUnreadable);
  if (after !== undefined) yield* pages(organizations, undefined, after, onUnreadable);
}

/** @param until the last organization to yield */
async function* pages(
  organizations: Pick<OrganizationStore, 'watched' | 'getMany'>,
  after: string | undefined,
  until: string | undefined,
  onUnreadable: (orgId: string) => void,
): AsyncGenerator<Organization[]> {
  for (let from = after; ; ) {
    const { items, last } = await organizations.watched(PAGE, from);
    const ids = until === undefined ? items : items.filter((id) => id <= until);
    const { found, unreadable } = await organizations.getMany(ids);
    for (const orgId of unreadable) onUnreadable(orgId);
    yield found.toSorted((one, other) => (one.org_id < other.org_id ? -1 : 1));
    from = items.at(-1);
    if (!last || from === undefined || ids.length < items.length) return;
  }
}
