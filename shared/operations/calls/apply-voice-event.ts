import { withKeptFiles } from '../../domain/calls/retention/kept-files.ts';
import type { VoiceEvent } from '../../messages/voice-event.ts';
import type { CallFiles } from '../../stores/calls/files/call-files.ts';
import { type ApplyPlatformMessageDeps, applyPlatformMessage } from './platform/apply-platform-message.ts';

export type ApplyVoiceEventDeps = ApplyPlatformMessageDeps & {
  files: Pick<CallFiles, 'tagReported' | 'removeReported'>;
};

/**
 * Applies a report that the voice platform has sent to the webhook, and then tags or removes the files of a long
 * transcript, which the webhook stored without reading the call.
 * @returns the result, for the log.
 */
export async function applyVoiceEvent(deps: ApplyVoiceEventDeps, { call_id, message }: VoiceEvent): Promise<string> {
  const result = await applyPlatformMessage(deps, call_id, message);
  if (message.kind === 'report') {
    const keys = [message.transcript_key, message.lines_key].filter((key) => key !== undefined);
    if (keys.length > 0) await settleReported(deps, call_id, keys);
  }
  return result;
}

/**
 * Applies the call's retention to the files that the call refers to, and removes the others: no reader would find them.
 * Runs after every report, because the webhook of a repeated report replaces a file with one that has no tag.
 */
async function settleReported(deps: ApplyVoiceEventDeps, callId: string, keys: readonly string[]): Promise<void> {
  const stored = await deps.calls.get(callId);
  const call = stored && withKeptFiles(stored, deps.now());
  const isOfCall = (key: string): boolean => key === call?.transcript_key || key === call?.lines_key;
  const days = call?.keep?.transcripts;
  if (days !== undefined) await deps.files.tagReported(keys.filter(isOfCall), days);
  await deps.files.removeReported(keys.filter((key) => !isOfCall(key)));
}
