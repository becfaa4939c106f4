import type { Organization } from '../organizations/organization.ts';

/** An organization that may have calls to dial. */
export type WaitingOrg = {
  org_id: string;
  /** Its live calls, and the most that it may have at once. */
  live: number;
  limit: number;
  /** Since when it has waited for a slot: its last turn or its first waiting call. ISO 8601. */
  since: string;
  /** How many calls it can dial now; infinite until they are read. */
  due: number;
};

/** @returns the most live calls that an organization may have at once; infinite without a limit. */
export const liveLimit = (org: Pick<Organization, 'suspended_at' | 'max_live_calls'> | undefined): number => {
  if (!org || org.suspended_at) return 0;
  return org.max_live_calls ?? Number.POSITIVE_INFINITY;
};

/** @returns the free slots of a stage; none while dialing is paused. */
export const freeSlots = (stage: { live: number; paused: boolean }, stageSlots: number): number =>
  stage.paused ? 0 : Math.max(0, stageSlots - stage.live);

/**
 * The most calls with a slot whose dial is still to come, of a stage with more slots: little more than dial-call has
 * workers. A call that waits is never behind many that took their slots long before they can be dialed.
 */
export const MOST_RESERVED = 12;

/** Whether a stage has so many slots that calls could be reserved long before their dials. */
export const hasManySlots = (stageSlots: number): boolean => stageSlots > MOST_RESERVED;

/**
 * Shares free slots among the organizations that wait: each goes to the one with the fewest live calls, and among
 * equals to the one that has waited longest (docs/call-lifecycle.md, "Who gets the next slot").
 * @returns how many slots each organization gets; an organization without any is absent.
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
