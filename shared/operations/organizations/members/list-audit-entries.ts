import type { Shown } from '../../../domain/newer-values.ts';
import { type AuditEntry, actorName } from '../../../domain/organizations/audit/audit-entry.ts';
import { filteredSlice, pageSlice, sliceOf } from '../../../domain/slice.ts';
import type { AuditStore } from '../../../stores/organizations/audit.ts';

export type AuditFilter = {
  action?: string | undefined;
  /** Part of a member's address or an operator's name. */
  actor?: string | undefined;
  /** Id, or part of the name, of the changed thing. */
  thing?: string | undefined;
  /** ISO 8601, inclusive. */
  from?: string | undefined;
  to?: string | undefined;
};

export type AuditPage = {
  items: Shown<AuditEntry>[];
  /** The entry after which the rest follows; absent at the end. */
  next?: string;
  /** Time of the oldest examined entry, if there are more. */
  searchedTo?: string;
};

/**
 * Lists an organization's audit entries, newest first, in slices of bounded cost.
 * @param before the `next` of the last page.
 */
export async function listAuditEntries(
  { audit, now }: { audit: Pick<AuditStore, 'page'>; now: () => Date },
  orgId: string,
  filter: AuditFilter,
  { limit, before }: { limit: number; before?: string },
): Promise<AuditPage> {
  const items: Shown<AuditEntry>[] = [];
  let last = before;
  const slice = sliceOf(readsEntries(filter) ? filteredSlice : pageSlice(limit), now);
  for (let most = slice.next(); most !== undefined; most = slice.next()) {
    const range = { ...(filter.from && { from: filter.from }), ...(filter.to && { to: filter.to }) };
    const read = await audit.page(orgId, { ...range, limit: most, ...(last && { before: last }) });
    slice.took(read.items.length);
    for (const entry of read.items) {
      if (matches(entry, filter)) items.push(entry);
      last = entry.entry;
      if (items.length === limit) return { items, ...rest(entry) };
    }
    if (!read.last) return { items };
  }
  return { items, ...(last && { next: last, searchedTo: last.split('#')[0] ?? last }) };
}

const readsEntries = ({ action, actor, thing }: AuditFilter): boolean =>
  [action, actor, thing].some((value) => value !== undefined);

const rest = ({ entry, at }: Shown<AuditEntry>) => ({ next: entry, searchedTo: at });

function matches({ action, actor, thing }: Shown<AuditEntry>, filter: AuditFilter): boolean {
  const includes = (text: string, part: string | undefined) =>
    part === undefined || text.toLowerCase().includes(part.toLowerCase());
  const name = actorName(actor);
  return (
    (filter.action === undefined || action === filter.action) &&
    includes(name, filter.actor) &&
    (thing.id === filter.thing || includes(thing.name, filter.thing))
  );
}
