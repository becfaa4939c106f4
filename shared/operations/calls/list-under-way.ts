import type { Call } from '../../domain/calls/call.ts';
import { type CallFilter, matchesFilter } from '../../domain/calls/call-filter.ts';
import { type CallPhase, isInPhase } from '../../domain/calls/call-phase.ts';
import type { Shown } from '../../domain/newer-values.ts';
import type { CallSearch } from '../../stores/calls/call-search.ts';
import type { UnfinishedPosition } from '../../stores/calls/calls.ts';
import { type ReadLiveDeps, readLive } from './steps/read-live.ts';

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
