import { liveLimit, shareSlots, type WaitingOrg } from '../../../domain/calls/slots/slot-sharing.ts';
import { waitingClasses } from '../../../domain/calls/slots/waiting-place.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import type { SlotsWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ListedOrg, WaitingOrgStore } from '../../../stores/calls/slots/waiting-orgs.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type ChooseCallsDeps = {
  calls: Pick<CallStore, 'waitingOfOrg'>;
  organizations: Pick<OrganizationStore, 'getMany'>;
  waitingOrgs: Pick<WaitingOrgStore, 'longestWaiting' | 'unlist' | 'park'>;
  slotsQueue: QueueSender<SlotsWork>;
  now: () => Date;
};

/** An organization that gets slots, and its calls in the order of their dials. */
export type ChosenOrg = { orgId: string; limit: number; callIds: string[] };

const MAX_ORGS = 12;

/** An index may lag behind its table by this long. */
export const INDEX_LAG_SECONDS = 5;

/**
 * Chooses the waiting calls that get free slots (docs/call-lifecycle.md, "Sharing of slots"). It reads at most 12
 * organizations and about one call for each slot. An organization that has no call to dial, or that cannot be read,
 * leaves the list.
 * @param known.changed ids of calls that the index shows although they no longer wait
 * @param known.endedAt when calls of organizations ended, ISO 8601, which the index may not show yet
 */
export async function chooseCalls(
  deps: ChooseCallsDeps,
  free: number,
  { changed, endedAt }: { changed: ReadonlySet<string>; endedAt: ReadonlyMap<string, string> },
): Promise<{ orgs: ChosenOrg[]; isListShorter: boolean; unreadable: string[] }> {
  const listed = await deps.waitingOrgs.longestWaiting(MAX_ORGS);
  if (listed.length === 0) return { orgs: [], isListShorter: false, unreadable: [] };
  const { found, unreadable } = await deps.organizations.getMany(listed.map(({ org_id }) => org_id));
  const limits = new Map(found.map((org) => [org.org_id, liveLimit(org)]));
  const waiting = listed.map((org): WaitingOrg => {
    const limit = limits.get(org.org_id) ?? 0;
    const ended = endedAt.get(org.org_id) ?? '';
    return { ...org, since: ended > org.since ? ended : org.since, limit, due: Number.POSITIVE_INFINITY };
  });
  const calls = await readCalls(deps, waiting, free, changed);

  const shares = shareSlots(waiting, free);
  const orgs = waiting.flatMap(({ org_id: orgId, limit }) => {
    const callIds = calls.get(orgId)?.slice(0, shares.get(orgId) ?? 0) ?? [];
    return callIds.length > 0 ? [{ orgId, limit, callIds }] : [];
  });
  const left = await Promise.all(
    listed.map((org, index) => leaveList(deps, org, waiting[index] ?? { limit: 0, due: 0 })),
  );
  return { orgs, isListShorter: left.some((hasLeft) => hasLeft), unreadable };
}

/** Reads the calls that the shares need. An organization with fewer calls than its share leaves slots to the others. */
async function readCalls(
  deps: ChooseCallsDeps,
  waiting: WaitingOrg[],
  free: number,
  changed: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const calls = new Map<string, string[]>();
  for (;;) {
    const shares = shareSlots(waiting, free);
    const lacking = waiting.filter(({ org_id }) => (shares.get(org_id) ?? 0) > (calls.get(org_id)?.length ?? 0));
    if (lacking.length === 0) return calls;
    await Promise.all(
      lacking.map(async (org) => {
        const share = shares.get(org.org_id) ?? 0;
        const callIds = await firstCalls(deps, org.org_id, share, changed);
        calls.set(org.org_id, callIds);
        if (callIds.length < share) org.due = callIds.length;
      }),
    );
  }
}

async function firstCalls(
  { calls, now }: ChooseCallsDeps,
  orgId: string,
  most: number,
  changed: ReadonlySet<string>,
): Promise<string[]> {
  const at = now().toISOString();
  const found: string[] = [];
  for (const of of waitingClasses) {
    if (found.length >= most) break;
    const callIds = await calls.waitingOfOrg(orgId, of, at, most - found.length + changed.size);
    found.push(...callIds.filter((callId) => !changed.has(callId)));
  }
  return found.slice(0, most);
}

/**
 * Removes an organization without a call to dial from the list, or parks it if its live calls reach its limit. If its
 * newest call was seen only now, the index may not show the call yet, so it is listed again some seconds later.
 * @returns false if it stays
 */
async function leaveList(
  deps: ChooseCallsDeps,
  org: ListedOrg,
  { limit, due }: Pick<WaitingOrg, 'limit' | 'due'>,
): Promise<boolean> {
  if (limit > 0 && org.live >= limit) return deps.waitingOrgs.park(org.org_id, limit);
  if (limit > 0 && due > 0) return false;
  if (!(await deps.waitingOrgs.unlist(org))) return false;
  if (limit > 0 && secondsBetween(org.seen, deps.now()) < INDEX_LAG_SECONDS)
    await deps.slotsQueue.send({ org_id: org.org_id, at: org.seen }, INDEX_LAG_SECONDS);
  return true;
}
