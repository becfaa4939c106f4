import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import { type CallOfOrg, type Cancelation, type CancelCallDeps, cancelCall } from './cancel-call.ts';
import { type HangUp, type HangUpCallDeps, hangUpCall } from './hang-up-call.ts';

export type StopCallDeps = CancelCallDeps &
  HangUpCallDeps & { calls: Pick<CallStore, 'get' | 'ending' | 'notingStop'> };

/** `not_live`: the dial is under way, and the platform does not know the call yet. */
export type Stopping = { kind: Exclude<Cancelation, 'already_dialed'> } | HangUp;

/**
 * Stops an organization's call in the way that its state allows: cancels it while it waits or is scheduled, else
 * requests the platform to end it.
 */
export async function stopCall(deps: StopCallDeps, actor: Actor, of: Required<CallOfOrg>): Promise<Stopping> {
  const kind = await cancelCall(deps, actor, of);
  return kind === 'already_dialed' ? hangUpCall(deps, actor, of) : { kind };
}
