import type { ReadMessage } from '../../integrations/voice/voice-platform.ts';
import type { VoiceEvent } from '../../messages/voice-event.ts';
import type { CallFiles } from '../../stores/calls/call-files.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ReceiveVoiceMessageDeps = {
  /** Reads a platform's message; undefined for one that says nothing we keep. */
  read: (body: unknown) => ReadMessage | undefined;
  /** Whether the signature is the one that the dial request of this call carried. */
  isGenuine: (callId: string, signature: string | undefined) => Promise<boolean>;
  files: Pick<CallFiles, 'putReportedTranscript'>;
  voiceEvents: QueueSender<VoiceEvent>;
};

export type Receipt = 'queued' | 'dropped' | 'unauthorized';

/** Longer ones go to the bucket: a queue's message has a limit, and every hop pays for its bytes. */
const LONGEST_QUEUED_TRANSCRIPT_BYTES = 100 * 1024;

/**
 * Takes a voice platform's message: authenticates it and puts what we keep of it on the queue, nothing else.
 * @param body the parsed JSON. @param signature the value of the header that our dial request asked for.
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
