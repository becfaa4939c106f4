import type { Organization } from '../../../domain/organizations/organization.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

const PAGE = 50;

/**
 * Yields every watched organization once, page by page.
 * @param after begins with the organization after this one, and ends with this one
 */
export async function* watchedOrgs(
  organizations: Pick<OrganizationStore, 'watched' | 'getMany'>,
  after: string | undefined,
): AsyncGenerator<Organization[]> {
  yield* pages(organizations, after, undefined);
  if (after !== undefined) yield* pages(organizations, undefined, after);
}

/** @param until the last organization to yield */
async function* pages(
  organizations: Pick<OrganizationStore, 'watched' | 'getMany'>,
  after: string | undefined,
  until: string | undefined,
): AsyncGenerator<Organization[]> {
  for (let from = after; ; ) {
    const { items, last } = await organizations.watched(PAGE, from);
    const ids = until === undefined ? items : items.filter((id) => id <= until);
    const found = await organizations.getMany(ids);
    yield found.toSorted((one, other) => (one.org_id < other.org_id ? -1 : 1));
    from = items.at(-1);
    if (!last || from === undefined || ids.length < items.length) return;
  }
}
