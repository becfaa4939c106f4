import { mostDials } from '../../domain/calls/platform/platform-gate.ts';
import { freeSlots, hasManySlots, MAX_RESERVED } from '../../domain/calls/slots/slot-sharing.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { CallWork, SlotsWork } from '../../messages/call-work.ts';
import type { CallCounts } from '../../stores/calls/call-counts.ts';
import type { PlatformGateStore } from '../../stores/calls/platform-gate.ts';
import type { WaitingOrgStore } from '../../stores/calls/slots/waiting-orgs.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type ChooseCallsDeps, chooseCalls } from './slots/choose-calls.ts';
import { type ReserveSlotsDeps, reserveSlots } from './slots/reserve-slots.ts';
import { type SetAsideDeps, setAsideUnreadable } from './slots/set-aside.ts';

export type HandOverSlotsDeps = ChooseCallsDeps &
  ReserveSlotsDeps &
  SetAsideDeps & {
    slots: SetAsideDeps['slots'] & ReserveSlotsDeps['slots'];
    waitingOrgs: Pick<WaitingOrgStore, 'list' | 'unpark' | 'moveBehind' | 'endParking'>;
    gate: Pick<PlatformGateStore, 'read'>;
    callCounts: Pick<CallCounts, 'reserved'>;
    dialQueue: QueueSender<CallWork>;
    info: (message: string, facts: { call_ids: readonly string[] }) => void;
  };

/** The most calls of a round, which bounds its reads (docs/call-lifecycle.md, "Sharing of slots"). */
const MAX_AT_ONCE = 10;
const MAX_TRIES = 4;
const CONTENDED_SECONDS = 1;
/** A reserved call is dialed sooner. After this time, a reservation whose worker died no longer delays other calls. */
const LONGEST_RESERVATION_SECONDS = 60;

/**
 * Reserves free slots for waiting calls and sends their dial messages: one round of at most 10 calls. If slots and
 * calls may be left, a message to its own queue starts the next round.
 * @param messages the changes. @returns the number of calls that got a slot
 * @throws if an organization cannot be read, after the others got their slots; recover-calls lists it again
 */
export async function handOverSlots(deps: HandOverSlotsDeps, messages: readonly SlotsWork[] = []): Promise<number> {
  const endedAt = await noteChanges(deps, messages);
  const unreadable = new Set<string>();
  const reserved = await reserveRound(deps, endedAt, unreadable);
  if (unreadable.size > 0) throw new Error(`organizations cannot be read: ${[...unreadable].join(', ')}`);
  return reserved;
}

/** @param unreadable gets the ids of organizations that cannot be read. */
async function reserveRound(
  deps: HandOverSlotsDeps,
  endedAt: ReadonlyMap<string, string>,
  unreadable: Set<string>,
): Promise<number> {
  const changed = new Set<string>();
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const [stage, gate] = await Promise.all([deps.slots.stage(), deps.gate.read()]);
    const usable = Math.min(freeSlots(stage, deps.stageSlots), mostDials(gate, deps.now()));
    const free = usable === 0 ? 0 : Math.min(usable, await reservable(deps));
    if (free === 0) return 0;
    const choice = await chooseCalls(deps, Math.min(free, MAX_AT_ONCE), { changed, endedAt });
    for (const orgId of choice.unreadable) unreadable.add(orgId);
    if (choice.orgs.length > 0) {
      const result = await reserveSlots(deps, choice.orgs);
      if (result.kind === 'reserved') {
        deps.info('calls have slots', { call_ids: result.callIds });
        await deps.dialQueue.sendMany(result.callIds.map((call_id) => ({ call_id })));
        // Until they leave the list, organizations without a call hide those behind them.
        const isSlotLeft = free > MAX_AT_ONCE || (choice.isListShorter && result.callIds.length < free);
        if (isSlotLeft) await deps.slotsQueue.send({});
        return result.callIds.length;
      }
      for (const callId of result.changed) changed.add(callId);
      await setAside(deps, result.changed);
    } else if (!choice.isListShorter) return 0;
  }
  await deps.slotsQueue.send({}, CONTENDED_SECONDS);
  return 0;
}

/** Sets aside those of the refused calls that cannot be read: the index would list them again as waiting. */
async function setAside(deps: HandOverSlotsDeps, callIds: readonly string[]): Promise<void> {
  const isSet = await Promise.all(callIds.map((callId) => setAsideUnreadable(deps, callId)));
  const call_ids = callIds.filter((_, index) => isSet[index]);
  if (call_ids.length > 0) deps.info('waiting calls cannot be read', { call_ids });
}

/** @returns how many more calls may get a slot now. Dialing a reserved call makes room for another one. */
async function reservable({ callCounts, stageSlots, now }: HandOverSlotsDeps): Promise<number> {
  if (!hasManySlots(stageSlots)) return stageSlots;
  return MAX_RESERVED - (await callCounts.reserved(secondsAfter(now(), -LONGEST_RESERVATION_SECONDS), MAX_RESERVED));
}

/**
 * Updates the list of waiting organizations. Messages may be late or repeated, so each end is noted with its own time.
 * @returns the organizations whose calls have released slots, with the time of the last such end, ISO 8601
 */
async function noteChanges(
  deps: HandOverSlotsDeps,
  messages: readonly SlotsWork[],
): Promise<ReadonlyMap<string, string>> {
  const now = deps.now().toISOString();
  const waiting = new Map<string, string>();
  const unlessParked = new Map<string, boolean>();
  const freed = new Map<string, boolean>();
  const endedAt = new Map<string, string>();
  const unparked = new Set<string>();
  for (const message of messages) {
    const { org_id, type, at = now, freed_slots, freed_credit, end_parking, unless_parked = false } = message;
    if (org_id === undefined) continue;
    if (end_parking) unparked.add(org_id);
    if (type !== undefined && type !== 'call.queued')
      freed.set(org_id, freed.get(org_id) || type !== 'call.given_back');
    else {
      if (at > (waiting.get(org_id) ?? '')) waiting.set(org_id, at);
      unlessParked.set(org_id, unless_parked && unlessParked.get(org_id) !== false);
    }
    // Also ends the wait for credit if no call may be dialed yet: a waiting call's message has no effect during the
    // wait.
    if (freed_credit) freed.set(org_id, true);
    if (freed_slots && at > (endedAt.get(org_id) ?? '')) endedAt.set(org_id, at);
  }
  const note = async (orgId: string) => {
    const [seen, hasEnded, ended] = [waiting.get(orgId), freed.get(orgId), endedAt.get(orgId)];
    if (unparked.has(orgId)) await deps.waitingOrgs.endParking(orgId);
    if (hasEnded || (hasEnded === false && seen === undefined)) await deps.waitingOrgs.unpark(orgId, hasEnded, now);
    if (ended !== undefined) await deps.waitingOrgs.moveBehind(orgId, ended);
    if (seen !== undefined) await deps.waitingOrgs.list(orgId, seen, now, unlessParked.get(orgId));
  };
  await Promise.all([...new Set([...waiting.keys(), ...freed.keys()])].map(note));
  return endedAt;
}
