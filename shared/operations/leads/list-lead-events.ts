import { type EntryCounts, entryCounter } from '../../domain/leads/entry-counter.ts';
import { type LeadEventFilter, matchesLeadFilter, readsEntries } from '../../domain/leads/lead-event-filter.ts';
import { countedSlice, filteredSlice, pageSlice, type Slice, sliceOf } from '../../domain/slice.ts';
import type { CallBrief, CallBriefs } from '../../stores/calls/call-briefs.ts';
import type { ActivityStore, EntryBrief, EntryKey, ShownEntry } from '../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import {
  type ListedConnection,
  type MergedPosition,
  mergedActivity,
  type ReadEntries,
} from './steps/merged-activity.ts';

export type ListLeadEventsDeps = {
  activity: Pick<ActivityStore, 'page' | 'pageInBrief' | 'entriesOf'>;
  connections: Pick<ConnectionStore, 'listToShow'>;
  calls: CallBriefs;
  now: () => Date;
};

export type LeadEventsPage = {
  items: ShownEntry[];
  connections: readonly ListedConnection[];
  /** The calls of the items, by their ids. */
  calls: ReadonlyMap<string, CallBrief>;
  next?: MergedPosition;
  /** The time of the oldest examined entry, if there are more. */
  searchedTo?: string;
};

type Paging = { limit: number; before?: MergedPosition | undefined };

/**
 * Lists the Activity of an organization's CRM connections, merged by time, newest first, in slices of bounded cost
 * (docs/dashboard.md, "Leads").
 * @param paging.before the `next` of the last page
 */
export async function listLeadEvents(
  deps: ListLeadEventsDeps,
  orgId: string,
  filter: LeadEventFilter,
  paging: Paging,
): Promise<LeadEventsPage> {
  const connections = await connectionsOf(deps, orgId, filter);
  const { activity } = deps;
  const { found, next } = readsEntries(filter)
    ? await readMatchingEntries(activity.pageInBrief, connections, filter, paging, sliceOf(filteredSlice, deps.now))
    : await readMatchingEntries(activity.page, connections, filter, paging, sliceOf(pageSlice(paging.limit), deps.now));
  const items = readsEntries(filter) ? await wholeEntries(deps, found) : (found as ShownEntry[]);
  const calls = await deps.calls.get(
    orgId,
    items.flatMap(({ call_id }) => call_id ?? []),
  );
  return { items, connections, calls, ...(next && { next, searchedTo: next.at }) };
}

/** Reads full or brief entries until a page of them matches or the slice ends. */
async function readMatchingEntries<Entry extends EntryBrief>(
  readEntries: ReadEntries<Entry>,
  connections: readonly ListedConnection[],
  filter: LeadEventFilter,
  { limit, before }: Paging,
  slice: Slice,
): Promise<{ found: Entry[]; next: MergedPosition | undefined }> {
  const merged = mergedActivity(readEntries, connections, { range: rangeOf(filter), before, slice });
  const found: Entry[] = [];
  for (let entry = await merged.next(); entry; entry = found.length < limit ? await merged.next() : undefined)
    if (matchesLeadFilter(entry, filter)) found.push(entry);
  return { found, next: merged.hasMore() ? merged.position() : undefined };
}

/** Reads entries by their keys, in the same order. Leaves out entries that have expired since. */
async function wholeEntries({ activity }: ListLeadEventsDeps, found: readonly EntryKey[]): Promise<ShownEntry[]> {
  const nameOf = ({ connection_id, event_id }: EntryKey) => `${connection_id} ${event_id}`;
  const entries = new Map((await activity.entriesOf(found)).map((entry) => [nameOf(entry), entry]));
  return found.flatMap((key) => entries.get(nameOf(key)) ?? []);
}

/**
 * Counts the lead events that match a filter, as far as one request reads.
 * @returns the counts, and the time of the oldest counted entry, if there are more
 */
export async function countLeadEvents(
  deps: Pick<ListLeadEventsDeps, 'activity' | 'connections' | 'now'>,
  orgId: string,
  filter: LeadEventFilter,
): Promise<{ counts: EntryCounts; searchedTo?: string }> {
  const connections = await connectionsOf(deps, orgId, filter);
  const slice = sliceOf(countedSlice, deps.now);
  const reading = { range: rangeOf(filter), before: undefined, slice };
  const merged = mergedActivity(deps.activity.pageInBrief, connections, reading);
  const counter = entryCounter();
  for (let entry = await merged.next(); entry; entry = await merged.next())
    if (matchesLeadFilter(entry, filter)) counter.add(entry);
  const last = merged.hasMore() ? merged.position() : undefined;
  return { counts: counter.counts, ...(last && { searchedTo: last.at }) };
}

async function connectionsOf(
  { connections }: Pick<ListLeadEventsDeps, 'connections'>,
  orgId: string,
  { crm }: LeadEventFilter,
): Promise<ListedConnection[]> {
  const { known, newer } = await connections.listToShow(orgId);
  return [...known, ...newer].filter(({ type }) => type !== 'help-desk' && (crm === undefined || type === crm));
}

const rangeOf = ({ from, to }: LeadEventFilter) => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});
