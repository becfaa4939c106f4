import type { Organization } from '../organizations/organization.ts';
import type { UnfinishedCall } from './unfinished-call.ts';

/**
 * More calls than free slots are chosen, because some may be canceled meanwhile. A call that finds no slot keeps
 * waiting.
 */
const SPARE = 2;

/** @returns how many waiting calls to send to the dial queue; 0 where the stage cannot dial. */
export const callsWanted = (stage: { live: number; paused: boolean }, stageSlots: number): number =>
  stage.paused || stage.live >= stageSlots ? 0 : stageSlots - stage.live + SPARE;

/** @param live its live calls. @returns the free slots of an organization; infinite without a limit. */
export function freeSlots(org: Pick<Organization, 'suspended_at' | 'max_live_calls'>, live: number): number {
  if (org.suspended_at) return 0;
  return org.max_live_calls === undefined ? Number.POSITIVE_INFINITY : org.max_live_calls - live;
}

type Waiting = Pick<UnfinishedCall, 'call_id' | 'org_id' | 'dial_by' | 'dial_after'>;

/** @returns those of the waiting calls that may be dialed at this instant. */
export const dueCalls = <T extends Waiting>(waiting: readonly T[], now: Date): T[] => {
  const at = now.toISOString();
  return waiting.filter(({ dial_after, dial_by }) => dial_after <= at && at < dial_by);
};

/**
 * Adds calls to a choice in their order, while the stage wants more and their organization has free slots.
 * @param free slots by organization, before any call was chosen; an unknown organization has none.
 */
export function chooseCalls<T extends Waiting>(
  chosen: readonly T[],
  due: readonly T[],
  { wanted, free }: { wanted: number; free: ReadonlyMap<string, number> },
): T[] {
  const next = [...chosen];
  for (const call of due) {
    const taken = next.filter(({ org_id }) => org_id === call.org_id).length;
    if (next.length < wanted && taken < (free.get(call.org_id) ?? 0)) next.push(call);
  }
  return next;
}
