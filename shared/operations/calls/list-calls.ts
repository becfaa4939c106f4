import type { Call } from '../../domain/calls/call.ts';
import { type CallFilter, matchesFilter, readsMoreThanTimes } from '../../domain/calls/call-filter.ts';
import type { CallPosition, CallStore } from '../../stores/calls/calls.ts';

/** How much one request reads, so that a filter that matches nothing answers soon. */
const READ_AT_ONCE = 200;
const MOST_READS = 5;

export type CallsPage = {
  items: Call[];
  /** The call after which the rest follows; absent at the end. */
  next?: CallPosition;
  /** When the oldest call that was looked at was placed, where there are more. */
  searchedTo?: string;
};

/**
 * Lists calls of an organization, newest first, in slices of bounded cost (docs/dashboard.md, "Calls").
 * @param before the `next` of the last page; outside of the filter's times it is no start.
 */
export async function listCalls(
  { calls }: { calls: Pick<CallStore, 'pageOfOrg'> },
  orgId: string,
  filter: CallFilter,
  { limit, before }: { limit: number; before?: CallPosition | undefined },
): Promise<CallsPage> {
  const { from, to } = filter;
  const items: Call[] = [];
  // DynamoDB refuses a start outside of the times it is asked for.
  if ((from !== undefined && to !== undefined && from > to) || (from !== undefined && isBefore(before, from)))
    return { items };
  let last = to !== undefined && before && before.created_at > to ? undefined : before;
  const atOnce = readsMoreThanTimes(filter) ? READ_AT_ONCE : Math.min(limit, READ_AT_ONCE);
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const read = await calls.pageOfOrg(orgId, { ...range, limit: atOnce, ...(last && { before: last }) });
    for (const [index, call] of read.items.entries()) {
      if (matchesFilter(call, filter)) items.push(call);
      last = positionOf(call);
      const isLast = index === read.items.length - 1 && !read.last;
      if (items.length === limit && !isLast) return { items, next: last, searchedTo: call.created_at };
    }
    if (!read.last) return { items };
  }
  return { items, ...(last && { next: last, searchedTo: last.created_at }) };
}

const positionOf = ({ call_id, created_at }: Call): CallPosition => ({ call_id, created_at });
const isBefore = (position: CallPosition | undefined, at: string) => position !== undefined && position.created_at < at;
