import type { CallPhase } from '../../domain/calls/call-phase.ts';
import { MAX_UNDER_WAY, type ReadLiveDeps, readLive } from './steps/read-live.ts';

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
