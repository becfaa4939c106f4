import { isTerminal } from '../../domain/calls/call-status.ts';
import type { VoicePlatform } from '../../integrations/voice/voice-platform.ts';
import type { CallStore } from '../../stores/calls/calls.ts';

export type HangUpCallDeps = { calls: Pick<CallStore, 'get'>; voice: Pick<VoicePlatform, 'hangUp'> };

export type HangUp = 'asked' | 'call_not_found' | 'already_ended' | 'not_live';

/** Requests the platform to end a live call. The platform reports its end like any other. */
export async function hangUpCall(deps: HangUpCallDeps, callId: string): Promise<HangUp> {
  const call = await deps.calls.get(callId);
  if (!call) return 'call_not_found';
  if (isTerminal(call.status)) return 'already_ended';
  if (!call.platform_id) return 'not_live';
  return (await deps.voice.hangUp(call.platform_id)) ? 'asked' : 'not_live';
}
