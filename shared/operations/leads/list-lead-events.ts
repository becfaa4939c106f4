import { type LeadCounts, leadCounter } from '../../domain/leads/lead-counter.ts';
import { type LeadEventFilter, matchesLeadFilter, readsEntries } from '../../domain/leads/lead-event-filter.ts';
import type { CallBrief, CallBriefs } from '../../stores/calls/call-briefs.ts';
import type { ShownEntry } from '../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import {
  type ListedConnection,
  type MergedActivityDeps,
  type MergedPosition,
  mergedActivity,
} from './steps/merged-activity.ts';

/** How much one request reads of a connection, so that a filter that matches nothing answers soon. */
const READ_AT_ONCE = 200;
const MOST_READS = 5;

export type ListLeadEventsDeps = MergedActivityDeps & {
  connections: Pick<ConnectionStore, 'listOfOrg'>;
  calls: CallBriefs;
};

export type LeadEventsPage = {
  items: ShownEntry[];
  connections: readonly ListedConnection[];
  /** The calls of the items, by their ids. */
  calls: ReadonlyMap<string, CallBrief>;
  next?: MergedPosition;
  /** The time of the oldest entry that was looked at, where there are more. */
  searchedTo?: string;
};

/**
 * Lists the Activity of an organization's CRM connections, merged by time, newest first, in slices of bounded cost
 * (docs/dashboard.md, "Leads").
 * @param before the `next` of the last page
 */
export async function listLeadEvents(
  deps: ListLeadEventsDeps,
  orgId: string,
  filter: LeadEventFilter,
  { limit, before }: { limit: number; before?: MergedPosition | undefined },
): Promise<LeadEventsPage> {
  const connections = await connectionsOf(deps, orgId, filter);
  const atOnce = readsEntries(filter) ? READ_AT_ONCE : Math.min(limit, READ_AT_ONCE);
  const merged = mergedActivity(deps, connections, { range: rangeOf(filter), before, atOnce, mostReads: MOST_READS });
  const items: ShownEntry[] = [];
  for (let entry = await merged.next(); entry; entry = items.length < limit ? await merged.next() : undefined)
    if (matchesLeadFilter(entry, filter)) items.push(entry);
  const calls = await deps.calls.get(
    orgId,
    items.flatMap(({ call_id }) => call_id ?? []),
  );
  const next = merged.hasMore() ? merged.position() : undefined;
  return { items, connections, calls, ...(next && { next, searchedTo: next.at }) };
}

/**
 * Counts what a filter matches, as far as one request reads.
 * @returns the counts, and the time of the oldest entry that was counted, where there are more
 */
export async function countLeadEvents(
  deps: Pick<ListLeadEventsDeps, 'activity' | 'connections'>,
  orgId: string,
  filter: LeadEventFilter,
): Promise<{ counts: LeadCounts; searchedTo?: string }> {
  const connections = await connectionsOf(deps, orgId, filter);
  const reading = { range: rangeOf(filter), before: undefined, atOnce: READ_AT_ONCE, mostReads: MOST_READS };
  const merged = mergedActivity(deps, connections, reading);
  const counter = leadCounter();
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
  const all = await connections.listOfOrg(orgId);
  return all.filter(({ type }) => type !== 'help-desk' && (crm === undefined || type === crm));
}

const rangeOf = ({ from, to }: LeadEventFilter) => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});
