import type { PlatformMessage } from '../../domain/calls/platform-message.ts';
import type { ReadMessage } from '../../integrations/voice/voice-platform.ts';
import type { VoiceEvent } from '../../messages/voice-event.ts';
import type { CallFiles } from '../../stores/calls/call-files.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ReceiveVoiceMessageDeps = {
  /** Parses a message; undefined for one that names no call of ours. */
  read: (body: unknown) => ReadMessage | undefined;
  /** Whether the dial request of this call set this signature. */
  isGenuine: (callId: string, signature: string | undefined) => Promise<boolean>;
  files: Pick<CallFiles, 'putReportedTranscript' | 'putReportedLines'>;
  voiceEvents: QueueSender<VoiceEvent>;
  /** Adds the id to the further log lines of the message. */
  correlate: (ids: { call_id: string }) => void;
};

export type Receipt = 'queued' | 'dropped' | 'unauthorized';

/** Longer transcripts, with their lines, go to the bucket, because the size of a queue message is limited. */
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
  if (!read || !(await deps.isGenuine(read.callId, signature))) return 'unauthorized';
  const { callId, message } = read;
  deps.correlate({ call_id: callId });
  if (!message) return 'dropped';
  await deps.voiceEvents.send({ call_id: callId, message: await shortened(deps, callId, message) });
  return 'queued';
}

/** Puts what makes a message too long into the bucket. */
async function shortened(
  { files }: Pick<ReceiveVoiceMessageDeps, 'files'>,
  callId: string,
  message: PlatformMessage,
): Promise<PlatformMessage> {
  if (message.kind !== 'report') return message;
  const { transcript, lines, ...rest } = message;
  const bytes = Buffer.byteLength(transcript ?? '') + (lines ? Buffer.byteLength(JSON.stringify(lines)) : 0);
  if (bytes <= LONGEST_QUEUED_TRANSCRIPT_BYTES) return message;
  const [transcript_key, lines_key] = await Promise.all([
    transcript === undefined ? undefined : files.putReportedTranscript(callId, transcript),
    lines && files.putReportedLines(callId, lines),
  ]);
  return { ...rest, ...(transcript_key && { transcript_key }), ...(lines_key && { lines_key }) };
}
