import type { Call } from '../../../shared/domain/calls/call.ts';
import { needsSlot } from '../../../shared/domain/calls/recovery/recovery.ts';
import { freeSlots, hasManySlots, liveLimit } from '../../../shared/domain/calls/slots/slot-sharing.ts';
import { aCall } from './call.ts';
import { type CallWorld, callWorld } from './worlds/call-world.ts';
import { anOrg, ORG } from './worlds/items.ts';
import { START } from './worlds/world.ts';

export const A = ORG;
export const waitingCall = (call_id: string, over: Partial<Call> = {}) => aCall({ call_id, ...over });

/** A world of these waiting calls, whose organizations are on the list, and the slots of its stage. */
export async function aCrowd(calls: Call[], stageSlots: number, contents: Parameters<typeof callWorld>[1] = {}) {
  const orgIds = [...new Set(calls.map(({ org_id }) => org_id))];
  const organizations = { organizations: orgIds.map((org_id) => anOrg({ org_id })) };
  const world = callWorld(calls, { ...(orgIds.length > 1 && organizations), ...contents });
  world.deps.stageSlots = stageSlots;
  for (const org_id of orgIds) await world.stores.waitingOrgs.list(org_id, START, START);
  return world;
}

/** Expects that no line of a small stage is idle while a call of a listed organization waits for one. */
async function expectNoIdleLine(world: CallWorld): Promise<void> {
  const { stageSlots } = world.deps;
  const stage = await world.stores.slots.stage();
  if (hasManySlots(stageSlots) || freeSlots(stage, stageSlots) === 0) return;
  const listed = await world.stores.waitingOrgs.longestWaiting(1_000);
  const { found } = await world.stores.organizations.getMany(listed.map(({ org_id }) => org_id));
  const limits = new Map(found.map((org) => [org.org_id, liveLimit(org)]));
  const mayDial = new Set(listed.filter((org) => org.live < (limits.get(org.org_id) ?? 0)).map(({ org_id }) => org_id));
  const waiting = world.calls().filter((call) => mayDial.has(call.org_id) && needsSlot(call, new Date(world.now)));
  expect(waiting.map(({ call_id }) => call_id)).toEqual([]);
}

/** Runs the hand-overs that messages to their own queue start. @returns the calls with dial messages, in order */
export async function handOverAll(world: CallWorld): Promise<string[]> {
  await world.handOver();
  for (let due = world.deps.slotsQueue.due(); due.length > 0; due = world.deps.slotsQueue.due())
    for (const message of due) await world.handOver(message);
  await expectNoIdleLine(world);
  return world.deps.dialQueue.sent.map(({ message }) => message.call_id);
}

/** Ends a call whose slots are reserved, so that they are free again. */
export async function end(world: CallWorld, callId: string) {
  const { slots, reserved_at, ...call } = world.stored(callId);
  const left = slots ?? [];
  world.putCall({ ...call, status: 'completed', unfinished: 'ended' });
  await world.common.transact(Object.fromEntries(left.map((scope) => [scope, world.stores.slots.givingBack(scope)])));
  await world.handOver({ org_id: call.org_id, type: 'call.completed' });
}
