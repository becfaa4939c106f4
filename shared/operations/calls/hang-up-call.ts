import { isTerminal } from '../../domain/calls/call-status.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { VoicePlatform } from '../../integrations/voice/voice-platform.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { CallOfOrg } from './cancel-call.ts';
import { type StopEntryDeps, stopEntry } from './steps/stop-entry.ts';

export type HangUpCallDeps = StopEntryDeps & {
  calls: Pick<CallStore, 'get' | 'notingStop'>;
  voice: Pick<VoicePlatform, 'hangUp'>;
  transact: Transact;
};

export type HangUp =
  | { kind: 'asked' | 'call_not_found' | 'already_ended' | 'not_live' }
  /** A repeat may succeed. */
  | { kind: 'unreachable'; reason: string };

/**
 * Requests the end of a live call from the platform. The platform reports its end like any other. The request is
 * recorded on the call, with its audit entry, before it is sent; a repeat sends another request and adds no entry.
 */
export async function hangUpCall(deps: HangUpCallDeps, actor: Actor, { org_id, call_id }: CallOfOrg): Promise<HangUp> {
  const call = await deps.calls.get(call_id);
  if (!call || (org_id !== undefined && call.org_id !== org_id)) return { kind: 'call_not_found' };
  if (isTerminal(call.status)) return { kind: 'already_ended' };
  if (!call.platform_id) return { kind: 'not_live' };
  if (call.stop_asked_at === undefined) {
    const stop = deps.calls.notingStop(call, deps.now().toISOString());
    const noted = await deps.transact({ call: stop, audit: stopEntry(deps, actor, call, 'hanging up') });
    // The call has ended or waits again, or another person requested its end at the same moment.
    if (!noted.committed) {
      const present = await deps.calls.get(call_id);
      if (!present || isTerminal(present.status)) return { kind: 'already_ended' };
      if (present.platform_id !== call.platform_id) return { kind: 'not_live' };
    }
  }
  const outcome = await deps.voice.hangUp(call.platform_id);
  // The platform may offer a way to end a queued call once it is dialed.
  if (outcome.kind === 'no_way') return { kind: 'unreachable', reason: 'no way to end this call' };
  return outcome.kind === 'hung_up' ? { kind: 'asked' } : outcome;
}
