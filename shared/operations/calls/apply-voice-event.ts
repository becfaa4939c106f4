import type { VoiceEvent } from '../../messages/voice-event.ts';
import type { CallFiles } from '../../stores/calls/files/call-files.ts';
import { type ApplyPlatformMessageDeps, applyPlatformMessage } from './platform/apply-platform-message.ts';

export type ApplyVoiceEventDeps = ApplyPlatformMessageDeps & { files: Pick<CallFiles, 'removeReported'> };

/**
 * Applies a report that the voice platform has sent to the webhook. The webhook stores a long transcript before it
 * reads the call, so an erased call's transcript is removed here.
 * @returns the result, for the log.
 */
export async function applyVoiceEvent(deps: ApplyVoiceEventDeps, { call_id, message }: VoiceEvent): Promise<string> {
  const result = await applyPlatformMessage(deps, call_id, message);
  const hasFiles = message.kind === 'report' && (message.transcript_key ?? message.lines_key) !== undefined;
  if (result === 'no_such_call' && hasFiles) await deps.files.removeReported(call_id);
  return result;
}
