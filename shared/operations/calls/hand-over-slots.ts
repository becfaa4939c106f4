import type { Organization } from '../../domain/organizations/organization.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallStore, UnfinishedCall } from '../../stores/calls/calls.ts';
import type { SlotStore } from '../../stores/calls/slots.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type HandOverSlotsDeps = {
  calls: Pick<CallStore, 'unfinished'>;
  organizations: Pick<OrganizationStore, 'getMany'>;
  slots: Pick<SlotStore, 'stage' | 'liveOfOrgs'>;
  dialQueue: QueueSender<CallWork>;
  stageSlots: number;
  now: () => Date;
};

/** More than the free slots are asked, because some may be taken or canceled meanwhile; losers are no-ops. */
const SPARE = 2;
const BATCH = 50;

/**
 * Sends dial messages for the waiting calls that may be dialed now, as many as there are free slots and two more. Those come
 * first that can wait the least, so that a burst of leads, which wait for hours, lets no call by REST expire. The index may
 * be some seconds old: what it misses, the next freed slot or recover-calls finds.
 * @returns how many were asked to dial.
 */
export async function handOverSlots(deps: HandOverSlotsDeps): Promise<number> {
  const stage = await deps.slots.stage();
  if (stage.paused || stage.live >= deps.stageSlots) return 0;
  const wanted = deps.stageSlots - stage.live + SPARE;
  const now = deps.now().toISOString();

  const chosen: UnfinishedCall[] = [];
  const freeOfOrg = new Map<string, number>();
  for await (const batch of inBatches(deps.calls.unfinished('waiting'), BATCH)) {
    const due = batch.filter(({ dial_after, dial_by }) => dial_after <= now && now < dial_by);
    await lookUpOrgs(deps, due, freeOfOrg);
    for (const call of due) {
      const free = freeOfOrg.get(call.org_id) ?? 0;
      if (free <= 0 || chosen.length === wanted) continue;
      chosen.push(call);
      freeOfOrg.set(call.org_id, free - 1);
    }
    if (chosen.length === wanted) break;
  }
  await deps.dialQueue.sendMany(chosen.map(({ call_id }) => ({ call_id })));
  return chosen.length;
}

/** Adds how many calls each org of these may still have dialed: none while suspended, and spare ones at no limit. */
async function lookUpOrgs(deps: HandOverSlotsDeps, calls: readonly UnfinishedCall[], freeOfOrg: Map<string, number>) {
  const unknown = [...new Set(calls.map(({ org_id }) => org_id))].filter((orgId) => !freeOfOrg.has(orgId));
  if (unknown.length === 0) return;
  const [orgs, live] = await Promise.all([deps.organizations.getMany(unknown), deps.slots.liveOfOrgs(unknown)]);
  for (const org of orgs) freeOfOrg.set(org.org_id, freeFor(org, live.get(org.org_id) ?? 0));
}

function freeFor(org: Organization, live: number): number {
  if (org.suspended_at) return 0;
  return org.max_live_calls === undefined ? Number.POSITIVE_INFINITY : org.max_live_calls - live;
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
