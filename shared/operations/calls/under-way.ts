import type { Call } from '../../domain/calls/call.ts';
import { type CallFilter, matchesFilter } from '../../domain/calls/call-filter.ts';
import { type CallPhase, isInPhase } from '../../domain/calls/call-phase.ts';
import type { Shown } from '../../domain/newer-values.ts';
import type { CallSearch, SomeIds } from '../../stores/calls/call-search.ts';
import type { UnfinishedPosition } from '../../stores/calls/calls.ts';

export type ReadLiveDeps = { calls: Pick<CallSearch, 'pageOfUnfinished' | 'idsOfWaiting'> };

/** Live and scheduled calls are listed and counted up to this many. */
export const MAX_UNDER_WAY = 200;

/** The kinds of work of calls that have a line. Lines are few. */
const withLine = ['reserved', 'claimed'] as const;

/** Reads the ids of the live calls. `waiting`: those without a line. */
async function readLive({ calls }: ReadLiveDeps, orgId: string): Promise<SomeIds & { waiting: SomeIds }> {
  const [waiting, ...others] = await Promise.all([
    calls.idsOfWaiting(orgId, MAX_UNDER_WAY),
    ...withLine.map((work) => calls.pageOfUnfinished(work, orgId, { limit: MAX_UNDER_WAY })),
  ]);
  // A call that has just got its line may still be in both indexes.
  const reached = new Set(others.flatMap(({ items }) => items.map(({ call_id }) => call_id)));
  const ids = new Set([...reached, ...waiting.ids]);
  const isCut = ids.size > MAX_UNDER_WAY || waiting.isCut || others.some(({ last }) => last !== undefined);
  return {
    ids: [...ids].slice(0, MAX_UNDER_WAY),
    isCut,
    waiting: { ...waiting, ids: waiting.ids.filter((id) => !reached.has(id)) },
  };
}

export type ListUnderWayDeps = ReadLiveDeps & { calls: Pick<CallSearch, 'getMany'> };

/**
 * Lists an organization's live calls, newest first and `MAX_UNDER_WAY` at most, or its scheduled calls, page by page,
 * the next one first.
 * @param after the `next` of the previous page, for scheduled calls
 * @returns `searchedTo`: the `dial_by` of the last scheduled call that was examined, if there are more
 */
export async function listUnderWay(
  deps: ListUnderWayDeps,
  orgId: string,
  filter: CallFilter & { phase: CallPhase },
  { limit, after }: { limit: number; after?: UnfinishedPosition | undefined },
): Promise<{ items: Shown<Call>[]; next?: UnfinishedPosition; searchedTo?: string }> {
  const read = async (ids: readonly string[]) =>
    (await deps.calls.getMany(ids)).filter(
      (call) => call.org_id === orgId && isInPhase(call, filter.phase) && matchesFilter(call, filter),
    );
  if (filter.phase === 'live') {
    const { ids } = await readLive(deps, orgId);
    return { items: sorted(await read(ids), ({ created_at }) => created_at).reverse() };
  }
  const { items, last } = await deps.calls.pageOfUnfinished('scheduled', orgId, { limit, after });
  const found = await read(items.map(({ call_id }) => call_id));
  return {
    items: sorted(found, ({ scheduled_for = '' }) => scheduled_for),
    ...(last && { next: last, searchedTo: last.dial_by }),
  };
}

const sorted = <One extends Shown<Call>>(calls: readonly One[], by: (call: One) => string): One[] =>
  calls.toSorted((one, other) => by(one).localeCompare(by(other)) || one.call_id.localeCompare(other.call_id));

/** How many calls are under way; `waiting` are the live ones without a line. `is_cut`: there may be more. */
export type CountsUnderWay = Readonly<Record<CallPhase | 'waiting', { count: number; is_cut: boolean }>>;

/** Counts an organization's live and scheduled calls, by the indexes, which may be some seconds old. */
export async function countUnderWay(deps: ReadLiveDeps, orgId: string): Promise<CountsUnderWay> {
  const [live, scheduled] = await Promise.all([
    readLive(deps, orgId),
    deps.calls.pageOfUnfinished('scheduled', orgId, { limit: MAX_UNDER_WAY }),
  ]);
  return {
    live: { count: live.ids.length, is_cut: live.isCut },
    waiting: { count: live.waiting.ids.length, is_cut: live.waiting.isCut },
    scheduled: { count: scheduled.items.length, is_cut: scheduled.last !== undefined },
  };
}
