import type { Call } from '../../../domain/calls/call.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { WaitingOrgStore } from '../../../stores/calls/slots/waiting-orgs.ts';
import { type GiveBackSlotsDeps, givingBackSlots } from './giving-back-slots.ts';

export type GiveBackReservationDeps = GiveBackSlotsDeps & { calls: Pick<CallStore, 'givingBackReservation'> };

/**
 * Gives back the slots of a call that is not dialed now. The call waits again, in its former place.
 * @param call as read, with its reservation. @returns false if it has changed since
 */
export async function giveBackReservation(deps: GiveBackReservationDeps, call: Call): Promise<boolean> {
  const at = deps.now().toISOString();
  const isGivenBack = await giveBack(deps, call, at, call.dial_after);
  if (isGivenBack) await deps.slotsQueue.send({ org_id: call.org_id, at });
  return isGivenBack;
}

const FAILED_SECONDS = 120;

/**
 * Gives back the slots of a call whose dial has failed with an error before its claim. It waits for two minutes, so
 * that calls without a failure get the slots meanwhile.
 * @returns false if the call has changed since, for example because its dial was claimed
 */
export async function giveBackAfterFailure(deps: GiveBackReservationDeps, call: Call): Promise<boolean> {
  const at = deps.now();
  const dialAfter = secondsAfter(at, FAILED_SECONDS);
  if (!(await giveBack(deps, call, at.toISOString(), dialAfter))) return false;
  await deps.slotsQueue.send({ org_id: call.org_id, at: at.toISOString() });
  await deps.slotsQueue.send({ org_id: call.org_id, at: dialAfter }, FAILED_SECONDS + 1);
  return true;
}

const CREDIT_SECONDS = 60;

/**
 * Gives back the slots of a lead's call whose organization lacks credit while other calls hold some. The organization
 * gets no slot until one of its live calls ends or is postponed, so that its waiting calls do not all try and fail. A
 * live call may end before this one may be dialed again, so a message for that time lists the organization.
 */
export async function waitForCredit(
  deps: GiveBackReservationDeps & { waitingOrgs: Pick<WaitingOrgStore, 'parkForCredit'> },
  call: Call,
): Promise<void> {
  const now = deps.now();
  const dialAfter = secondsAfter(now, CREDIT_SECONDS);
  if (!(await giveBack(deps, call, now.toISOString(), dialAfter))) return;
  // If only waiting calls hold the credit, no live call exists whose end would list the organization again.
  const isParked = await deps.waitingOrgs.parkForCredit(call.org_id);
  const listing = { org_id: call.org_id, at: dialAfter, ...(isParked && { unless_parked: true }) };
  await deps.slotsQueue.send(listing, CREDIT_SECONDS + 1);
}

async function giveBack(deps: GiveBackReservationDeps, call: Call, at: string, dialAfter: string): Promise<boolean> {
  const result = await deps.transact<string>({
    call: deps.calls.givingBackReservation(call, at, dialAfter),
    ...givingBackSlots(deps.slots, call),
  });
  return result.committed;
}
