import { createHash } from 'node:crypto';
import { isCallSignature } from '../../domain/calls/platform/call-signature.ts';
import type { EndReport, PlatformMessage } from '../../domain/calls/platform/platform-message.ts';
import type { Count } from '../../domain/metric.ts';
import type { OpenedMessage } from '../../integrations/voice/voice-platform.ts';
import type { VoiceEvent } from '../../messages/voice-event.ts';
import type { CallFiles } from '../../stores/calls/files/call-files.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type ReceiveVoiceMessageDeps = {
  /** Reads the keys that sign calls. `fresh` rereads them. */
  keys: (fresh?: boolean) => Promise<readonly string[]>;
  files: Pick<CallFiles, 'putReportedTranscript' | 'putReportedLines'>;
  voiceEvents: QueueSender<VoiceEvent>;
  count: Count;
  /** Adds the id to the message's later log lines. */
  correlate: (ids: { call_id: string }) => void;
};

export type Receipt = 'queued' | 'dropped' | 'unauthorized' | 'invalid body';

/** Longer transcripts, with their lines, go to the bucket, because the size of a queue message is limited. */
const LONGEST_QUEUED_TRANSCRIPT_BYTES = 100 * 1024;

/**
 * Authenticates a message of the voice platform before it is parsed, and queues its useful members. A metric counts
 * refused messages (docs/tracing.md, "Refused requests").
 * @param signature the value of the signature header.
 */
export async function receiveVoiceMessage(
  deps: ReceiveVoiceMessageDeps,
  { callIds, read }: OpenedMessage,
  signature: string | undefined,
): Promise<Receipt> {
  const signedId = await signedOf(deps, callIds, signature);
  const opened = signedId === undefined ? undefined : read();
  if (opened === 'not JSON') return 'invalid body';
  if (opened === undefined || opened.callId !== signedId) {
    deps.count('NotAuthenticated');
    return 'unauthorized';
  }
  const { callId, message } = opened;
  deps.correlate({ call_id: callId });
  if (!message) return 'dropped';
  await deps.voiceEvents.send({ call_id: callId, message: await shortened(deps, callId, message) });
  return 'queued';
}

/**
 * Returns the named call whose dial request set this signature; undefined if the signature fits no named call. If the
 * message names a call, every wrong signature causes the same requests.
 */
async function signedOf(
  { keys }: Pick<ReceiveVoiceMessageDeps, 'keys'>,
  callIds: readonly string[],
  signature: string | undefined,
): Promise<string | undefined> {
  if (callIds.length === 0) return undefined;
  const signedBy = (some: readonly string[]) => callIds.find((id) => isCallSignature(some, id, signature));
  const found = signedBy(await keys());
  // The key may have been rotated since it was cached.
  return found === undefined && signature !== undefined ? signedBy(await keys(true)) : found;
}

/** Moves parts that make a message too long into the bucket. */
async function shortened(
  { files }: Pick<ReceiveVoiceMessageDeps, 'files'>,
  callId: string,
  message: PlatformMessage,
): Promise<PlatformMessage> {
  if (message.kind !== 'report') return message;
  const { transcript, lines, ...rest } = message;
  const bytes = Buffer.byteLength(transcript ?? '') + (lines ? Buffer.byteLength(JSON.stringify(lines)) : 0);
  if (bytes <= LONGEST_QUEUED_TRANSCRIPT_BYTES) return message;
  const of = { callId, report: nameOfReport(message) };
  const [transcript_key, lines_key] = await Promise.all([
    transcript === undefined ? undefined : files.putReportedTranscript(of, transcript),
    lines && files.putReportedLines(of, lines),
  ]);
  return { ...rest, ...(transcript_key && { transcript_key }), ...(lines_key && { lines_key }) };
}

/** Names a report by its content: a repeat has the same name, and a report of another attempt has another name. */
const nameOfReport = ({ platform_id, transcript, lines }: EndReport): string =>
  createHash('sha256')
    .update(JSON.stringify([platform_id, transcript, lines]))
    .digest('hex')
    .slice(0, 32);
