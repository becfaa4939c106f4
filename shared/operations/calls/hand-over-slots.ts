import { mostDials } from '../../domain/calls/platform-gate.ts';
import { callsWanted, chooseCalls, dueCalls, freeSlots } from '../../domain/calls/slot-choice.ts';
import type { UnfinishedCall } from '../../domain/calls/unfinished-call.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { PlatformGateStore } from '../../stores/calls/platform-gate.ts';
import type { SlotStore } from '../../stores/calls/slots.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type HandOverSlotsDeps = {
  calls: Pick<CallStore, 'unfinished'>;
  organizations: Pick<OrganizationStore, 'getMany'>;
  slots: Pick<SlotStore, 'stage' | 'liveOfOrgs'>;
  gate: Pick<PlatformGateStore, 'read'>;
  dialQueue: QueueSender<CallWork>;
  stageSlots: number;
  now: () => Date;
};

const BATCH = 50;

/**
 * Sends dial messages for the waiting calls that may be dialed now, the earliest `dial_by` first, so that a burst of
 * leads, which may wait for hours, lets no call by REST expire. The index may be some seconds old: the next freed slot
 * or recover-calls finds the calls that it misses.
 * @returns how many messages it sent.
 */
export async function handOverSlots(deps: HandOverSlotsDeps): Promise<number> {
  const now = deps.now();
  const most = mostDials(await deps.gate.read(), now);
  const wanted = Math.min(most, callsWanted(await deps.slots.stage(), deps.stageSlots));
  if (wanted === 0) return 0;
  const free = new Map<string, number>();
  let chosen: UnfinishedCall[] = [];
  for await (const batch of inBatches(deps.calls.unfinished('waiting'), BATCH)) {
    const due = dueCalls(batch, now);
    await addFreeSlots(deps, due, free);
    chosen = chooseCalls(chosen, due, { wanted, free });
    if (chosen.length === wanted) break;
  }
  await deps.dialQueue.sendMany(chosen.map(({ call_id }) => ({ call_id })));
  return chosen.length;
}

/** Adds the free slots of the organizations that `free` does not have yet. */
async function addFreeSlots(
  { organizations, slots }: HandOverSlotsDeps,
  calls: readonly UnfinishedCall[],
  free: Map<string, number>,
): Promise<void> {
  const unknown = [...new Set(calls.map(({ org_id }) => org_id))].filter((orgId) => !free.has(orgId));
  if (unknown.length === 0) return;
  const [orgs, live] = await Promise.all([organizations.getMany(unknown), slots.liveOfOrgs(unknown)]);
  for (const org of orgs) free.set(org.org_id, freeSlots(org, live.get(org.org_id) ?? 0));
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
