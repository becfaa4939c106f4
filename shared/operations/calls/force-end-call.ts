import { isWaiting } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import { endedByService } from '../../domain/calls/ending.ts';
import { STUCK_SECONDS } from '../../domain/calls/recovery/recovery.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import { secondsBetween } from '../../domain/time/instants.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import { type HangUpAtPlatformDeps, hangUpAtPlatform } from './platform/hang-up-at-platform.ts';
import { type EndCallDeps, endCall } from './steps/end-call.ts';
import { type StopEntryDeps, stopEntry } from './steps/stop-entry.ts';

export type ForceEndCallDeps = EndCallDeps &
  StopEntryDeps &
  HangUpAtPlatformDeps & { calls: Pick<CallStore, 'get' | 'ending'> };

export type ForcedEnd =
  | { kind: 'call_not_found' | 'already_ended' | 'not_dialed' | 'dial_under_way' | 'changed' }
  /** `hungUp`: whether the platform confirmed that it ends its call. */
  | { kind: 'ended'; hungUp: boolean };

/**
 * Ends a dialed call without the platform's report: requests a hang-up, repeatedly if necessary, then gives back line
 * and credit, whatever the platform answers. The call is not charged, and keeps its claims, because the phone may have
 * rung. The audit entry is a part of the transaction that ends the call.
 * @returns `dial_under_way` while the dial request may still be on its way, because the phone could ring afterwards;
 * `changed` if a platform message arrived in between: read the call again
 */
export async function forceEndCall(deps: ForceEndCallDeps, actor: Actor, callId: string): Promise<ForcedEnd> {
  const call = await deps.calls.get(callId);
  if (!call) return { kind: 'call_not_found' };
  if (isTerminal(call.status)) return { kind: 'already_ended' };
  if (call.status === 'scheduled' || isWaiting(call)) return { kind: 'not_dialed' };
  const now = deps.now();
  const isOnItsWay = !call.platform_id && secondsBetween(call.progress_at, now) < STUCK_SECONDS;
  if (isOnItsWay) return { kind: 'dial_under_way' };
  const hungUp = call.platform_id !== undefined && (await hangUpAtPlatform(deps, callId, call.platform_id));
  const ending = endedByService('failed', 'ended_by_operator', now);
  const audit = stopEntry(deps, actor, call, 'force');
  return (await endCall(deps, call, ending, { audit })).committed ? { kind: 'ended', hungUp } : { kind: 'changed' };
}
