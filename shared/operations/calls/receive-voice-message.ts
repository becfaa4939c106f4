import type { ReadMessage } from '../../integrations/voice/voice-platform.ts';
import type { VoiceEvent } from '../../messages/voice-event.ts';
import type { CallFiles } from '../../stores/calls/call-files.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ReceiveVoiceMessageDeps = {
  /** Parses a message; undefined for one that the service does not use. */
  read: (body: unknown) => ReadMessage | undefined;
  /** Whether the dial request of this call set this signature. */
  isGenuine: (callId: string, signature: string | undefined) => Promise<boolean>;
  files: Pick<CallFiles, 'putReportedTranscript'>;
  voiceEvents: QueueSender<VoiceEvent>;
};

export type Receipt = 'queued' | 'dropped' | 'unauthorized';

/** Longer transcripts go to the bucket, because the size of a queue message is limited. */
const LONGEST_QUEUED_TRANSCRIPT_BYTES = 100 * 1024;

/**
 * Authenticates a message of the voice platform, and queues its useful members.
 * @param body the parsed JSON. @param signature the value of the signature header.
 */
export async function receiveVoiceMessage(
  deps: ReceiveVoiceMessageDeps,
  body: unknown,
  signature: string | undefined,
): Promise<Receipt> {
  const read = deps.read(body);
  if (!read) return 'dropped';
  const { callId, message } = read;
  if (!(await deps.isGenuine(callId, signature))) return 'unauthorized';
  if (message.kind === 'report' && Buffer.byteLength(message.transcript ?? '') > LONGEST_QUEUED_TRANSCRIPT_BYTES) {
    const { transcript = '', ...rest } = message;
    const transcript_key = await deps.files.putReportedTranscript(callId, transcript);
    await deps.voiceEvents.send({ call_id: callId, message: { ...rest, transcript_key } });
  } else await deps.voiceEvents.send({ call_id: callId, message });
  return 'queued';
}
