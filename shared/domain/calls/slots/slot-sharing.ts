import type { Organization } from '../../organizations/organization.ts';

/** An organization that may have calls to dial. */
export type WaitingOrg = {
  org_id: string;
  /** Its live calls, and their maximum number. */
  live: number;
  limit: number;
  /**
   * The time since which it has waited for a slot: the latest of its last slot, its last ended call and its first
   * waiting call. ISO 8601.
   */
  since: string;
  /** How many calls it can dial now; infinite until they are read. */
  due: number;
};

/** Returns the maximum number of an organization's live calls; infinite without a limit, 0 while it is suspended. */
export const liveLimit = (org: Pick<Organization, 'suspended_at' | 'max_live_calls'> | undefined): number => {
  if (!org || org.suspended_at) return 0;
  return org.max_live_calls ?? Number.POSITIVE_INFINITY;
};

/** Returns the free slots of a stage; 0 while dialing is paused. */
export const freeSlots = (stage: { live: number; paused: boolean }, stageSlots: number): number =>
  stage.paused ? 0 : Math.max(0, stageSlots - stage.live);

/**
 * The maximum number of reserved calls in a stage with more slots: slightly more than dial-call's workers, so that a
 * waiting call is never behind many that took slots long before they can be dialed.
 */
export const MAX_RESERVED = 12;

/** Returns whether a stage has so many slots that calls could be reserved long before their dials. */
export const hasManySlots = (stageSlots: number): boolean => stageSlots > MAX_RESERVED;

/**
 * Shares free slots among the waiting organizations: each slot goes to the one with the fewest live calls, and among
 * equals to the one that has waited longest (docs/call-lifecycle.md, "Sharing of slots").
 * @returns how many slots each organization gets; an organization without any is absent
 */
export function shareSlots(orgs: readonly WaitingOrg[], free: number): Map<string, number> {
  const shares = new Map<string, number>();
  const liveOf = ({ org_id, live }: WaitingOrg) => live + (shares.get(org_id) ?? 0);
  const mayTake = (org: WaitingOrg) => liveOf(org) < org.limit && (shares.get(org.org_id) ?? 0) < org.due;
  for (let left = free; left > 0; left -= 1) {
    const [next, ...others] = orgs.filter(mayTake);
    if (!next) break;
    const first = others.reduce((best, org) => (isBefore(org, best, liveOf) ? org : best), next);
    shares.set(first.org_id, (shares.get(first.org_id) ?? 0) + 1);
  }
  return shares;
}

const isBefore = (one: WaitingOrg, other: WaitingOrg, liveOf: (org: WaitingOrg) => number): boolean =>
  liveOf(one) < liveOf(other) || (liveOf(one) === liveOf(other) && one.since < other.since);
