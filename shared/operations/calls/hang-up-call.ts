import { isTerminal } from '../../domain/calls/call-status.ts';
import type { Actor } from '../../domain/organizations/audit-entry.ts';
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

export type HangUp = 'asked' | 'call_not_found' | 'already_ended' | 'not_live';

/**
 * Requests the platform to end a live call. The platform reports its end like any other. The request is noted on the
 * call, with its audit entry, before it is sent; a repeat sends another request and adds no entry.
 * @throws where the platform cannot be asked (`isUnreachable`).
 */
export async function hangUpCall(deps: HangUpCallDeps, actor: Actor, { org_id, call_id }: CallOfOrg): Promise<HangUp> {
  const call = await deps.calls.get(call_id);
  if (!call || (org_id !== undefined && call.org_id !== org_id)) return 'call_not_found';
  if (isTerminal(call.status)) return 'already_ended';
  if (!call.platform_id) return 'not_live';
  if (call.stop_asked_at === undefined) {
    const stop = deps.calls.notingStop(call, deps.now().toISOString());
    const noted = await deps.transact({ call: stop, audit: stopEntry(deps, actor, call, 'hanging up') });
    // It has ended, or waits again, or somebody else asked at the same moment.
    if (!noted.committed) {
      const present = await deps.calls.get(call_id);
      if (!present || isTerminal(present.status)) return 'already_ended';
      if (present.platform_id !== call.platform_id) return 'not_live';
    }
  }
  return (await deps.voice.hangUp(call.platform_id)) ? 'asked' : 'not_live';
}

/** Whether an error says that the platform is unreachable or rejects our key: the prefix of its adapter. */
export const isUnreachable = (error: unknown): error is Error =>
  error instanceof Error && /^voice platform: /.test(error.message);
