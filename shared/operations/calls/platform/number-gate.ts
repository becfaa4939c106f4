import {
  closedUntil,
  closingOf,
  type GatePass,
  gateStateOf,
  numberSignalOf,
  type PlatformSignal,
  PROBE_SECONDS,
} from '../../../domain/calls/platform/platform-gate.ts';
import { secondsAfter, secondsBetween } from '../../../domain/time/instants.ts';
import type { DialOutcome } from '../../../integrations/voice/voice-platform.ts';
import type { SlotsWork } from '../../../messages/call-work.ts';
import type { PlatformGateStore } from '../../../stores/calls/platform-gate.ts';
import type { WaitingOrgStore } from '../../../stores/calls/slots/waiting-orgs.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type NumberGateDeps = {
  gate: Pick<PlatformGateStore, 'ofNumber'>;
  organizations: Pick<OrganizationStore, 'get'>;
  waitingOrgs: Pick<WaitingOrgStore, 'parkUntil' | 'endParking'>;
  slotsQueue: QueueSender<SlotsWork>;
  now: () => Date;
  random: () => number;
};

/** An organization and its calling number; undefined for the account's default number. */
export type Caller = { orgId: string; numberId: string | undefined };

/** A probe is usually decided within this time. */
const BEHIND_PROBE_SECONDS = 5;

/**
 * Passes the gate of a calling number (docs/call-lifecycle.md, "The gate of a number").
 * @returns `number_closed` if the call must wait; its organization is then parked until the gate may open
 */
export async function passNumberGate(
  deps: NumberGateDeps,
  caller: Caller,
): Promise<GatePass | { kind: 'number_closed' }> {
  const store = deps.gate.ofNumber(caller.numberId);
  const gate = await store.read();
  const now = deps.now();
  if (gateStateOf(gate, now) === 'open') return { kind: 'open' };
  const until = secondsAfter(now, PROBE_SECONDS);
  const isHalfOpen = gateStateOf(gate, now) === 'half-open';
  if (isHalfOpen && (await store.takeProbe(gate, until))) return { kind: 'probe', until };
  const { closed_until = '' } = gate;
  const isBehindProbe = closed_until <= now.toISOString();
  await parkCaller(deps, caller, isBehindProbe ? secondsAfter(now, BEHIND_PROBE_SECONDS) : closed_until);
  return { kind: 'number_closed' };
}

/**
 * Closes or opens the gate of a calling number by the outcome of a dial request. A probe whose outcome says nothing
 * about the number ends at once: otherwise the refused calls of one organization would block the number for the others.
 */
export async function noteNumberOutcome(
  deps: NumberGateDeps,
  caller: Caller,
  pass: GatePass,
  outcome: DialOutcome,
): Promise<void> {
  const signal = numberSignalOf(outcome);
  if (signal?.kind === 'refuses') return closeNumber(deps, caller, pass, signal);
  if (pass.kind !== 'probe') return;
  const store = deps.gate.ofNumber(caller.numberId);
  if (signal === undefined) await store.giveBackProbe(pass.until);
  else if (await store.open(pass.until, deps.now().toISOString())) await wakeCaller(deps, caller);
}

/**
 * Lets another call be the probe, because this one was not dialed.
 * @param isParked whether the organization waits for something else, such as credit, and must not be woken
 */
export async function giveBackNumberPass(
  deps: NumberGateDeps,
  caller: Caller,
  pass: GatePass,
  { isParked = false } = {},
): Promise<void> {
  if (pass.kind !== 'probe') return;
  const isGivenBack = await deps.gate.ofNumber(caller.numberId).giveBackProbe(pass.until);
  if (isGivenBack && !isParked) await wakeCaller(deps, caller);
}

/** Wakes the organization whose calls waited for the probe. Calls of others try again some seconds later. */
async function wakeCaller(deps: NumberGateDeps, { orgId }: Caller): Promise<void> {
  await deps.waitingOrgs.endParking(orgId);
  await deps.slotsQueue.send({ org_id: orgId, at: deps.now().toISOString() });
}

/**
 * Closes the gate: with a probe's pass only while that probe holds its lease, with another pass only if the gate is
 * open. Does not change a gate that another worker has changed. Parks the organization while the gate is closed.
 */
export async function closeNumber(
  deps: NumberGateDeps,
  caller: Caller,
  pass: GatePass,
  signal: PlatformSignal,
): Promise<void> {
  const store = deps.gate.ofNumber(caller.numberId);
  const gate = await store.read();
  const now = deps.now();
  const isOwn = pass.kind === 'probe' ? gate.probe_until === pass.until : gate.closed_until === undefined;
  const closing = closingOf(gate, signal, now, deps.random());
  const isClosed = isOwn && (await store.close(gate, closing));
  const until = isClosed ? closing.closed_until : closedUntil(gate, now);
  if (until !== undefined) await parkCaller(deps, caller, until);
}

/**
 * Removes an organization from the waiting list, unless it has been given another number since. A message lists it
 * again at that instant; recover-calls replaces a lost message.
 */
async function parkCaller(
  { organizations, waitingOrgs, slotsQueue, now }: NumberGateDeps,
  { orgId, numberId }: Caller,
  until: string,
): Promise<void> {
  const org = await organizations.get(orgId);
  if (org?.voice_number_id !== numberId) return;
  if (!(await waitingOrgs.parkUntil(orgId, until))) return;
  await slotsQueue.send({ org_id: orgId, at: until }, secondsBetween(now(), until) + 1);
}
