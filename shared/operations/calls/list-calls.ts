import type { Call } from '../../domain/calls/call.ts';
import { type CallFilter, matchesFilter, readsMoreThanTimes } from '../../domain/calls/call-filter.ts';
import { isKept } from '../../domain/calls/retention/kept-files.ts';
import type { Shown } from '../../domain/newer-values.ts';
import { filteredSlice, pageSlice, type Slice, sliceOf } from '../../domain/slice.ts';
import type { CallFacts, CallSearch } from '../../stores/calls/call-search.ts';
import type { CallPosition, CallStore } from '../../stores/calls/calls.ts';
import type { Page } from '../../stores/dynamodb/reads.ts';

export type ListCallsDeps = {
  calls: Pick<CallStore, 'pageToShow'> & Pick<CallSearch, 'pageOfFacts' | 'getMany'>;
  now: () => Date;
};

export type CallsPage = {
  items: Shown<Call>[];
  /** The call after which the rest follows; absent at the end. */
  next?: CallPosition;
  /** When the oldest examined call was placed, if there are more. */
  searchedTo?: string;
};

/**
 * Lists calls of an organization, newest first, in slices of bounded cost (docs/dashboard.md, "Calls").
 * @param before the `next` of the last page; ignored if it is later than `filter.to` @returns no calls if `before` is
 * earlier than `filter.from`
 */
export async function listCalls(
  { calls, now }: ListCallsDeps,
  orgId: string,
  filter: CallFilter,
  { limit, before }: { limit: number; before?: CallPosition | undefined },
): Promise<CallsPage> {
  const { from, to } = filter;
  // DynamoDB rejects a start key outside the queried range.
  if ((from !== undefined && to !== undefined && from > to) || (from !== undefined && isBefore(before, from)))
    return { items: [] };
  const start = to !== undefined && before && before.created_at > to ? undefined : before;
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const reading = { filter, limit, start };
  if (!readsMoreThanTimes(filter)) {
    const slice = sliceOf(pageSlice(limit), now);
    const { items, ...rest } = await readMatchingCalls(reading, slice, (most, last) =>
      calls.pageToShow(orgId, { ...range, limit: most, ...(last && { before: last }) }),
    );
    return { items: items.filter((call) => isKept(call, now())), ...rest };
  }
  const { items: found, ...rest } = await readMatchingCalls<CallFacts>(
    reading,
    sliceOf(filteredSlice, now),
    (most, last) => calls.pageOfFacts(orgId, { ...range, limit: most, before: last }, filter.success !== undefined),
  );
  const whole = new Map((await calls.getMany(found.map(({ call_id }) => call_id))).map((call) => [call.call_id, call]));
  const items = found.flatMap(({ call_id }) => whole.get(call_id) ?? []);
  return { items: items.filter((call) => isKept(call, now())), ...rest };
}

/** Reads calls, whole or in part, until a page of them matches or the slice ends. */
async function readMatchingCalls<Read extends Shown<Call> | CallFacts>(
  { filter, limit, start }: { filter: CallFilter; limit: number; start: CallPosition | undefined },
  slice: Slice,
  read: (most: number, last: CallPosition | undefined) => Promise<Page<Read>>,
): Promise<Omit<CallsPage, 'items'> & { items: Read[] }> {
  const items: Read[] = [];
  let last = start;
  for (let most = slice.next(); most !== undefined; most = slice.next()) {
    const page = await read(most, last);
    slice.took(page.items.length);
    for (const [index, call] of page.items.entries()) {
      if (matchesFilter(call, filter)) items.push(call);
      last = positionOf(call);
      const isLast = index === page.items.length - 1 && !page.last;
      if (items.length === limit && !isLast) return { items, next: last, searchedTo: call.created_at };
    }
    if (!page.last) return { items };
  }
  return { items, ...(last && { next: last, searchedTo: last.created_at }) };
}

const positionOf = ({ call_id, created_at }: CallPosition): CallPosition => ({ call_id, created_at });
const isBefore = (position: CallPosition | undefined, at: string) => position !== undefined && position.created_at < at;
