import type { VoiceEvent } from '../../messages/voice-event.ts';
import { type ApplyPlatformMessageDeps, applyPlatformMessage } from './steps/apply-platform-message.ts';

/**
 * Applies a report that the voice platform has sent to the webhook.
 * @returns the result, for the log.
 */
export const applyVoiceEvent = (deps: ApplyPlatformMessageDeps, { call_id, message }: VoiceEvent): Promise<string> =>
  applyPlatformMessage(deps, call_id, message);
