import type { CallSearch, SomeIds } from '../../../stores/calls/call-search.ts';

export type ReadLiveDeps = { calls: Pick<CallSearch, 'pageOfUnfinished' | 'idsOfWaiting'> };

/** Live and scheduled calls are listed and counted up to this many. */
export const MAX_UNDER_WAY = 200;

/** The kinds of work of calls that have a line. Lines are few. */
const withLine = ['reserved', 'claimed'] as const;

/** Reads the ids of the calls that wait for a line, have one, ring or talk. */
export async function readLive({ calls }: ReadLiveDeps, orgId: string): Promise<SomeIds & { waiting: SomeIds }> {
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
