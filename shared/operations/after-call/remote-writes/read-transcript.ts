import type { Unavailable } from '../../../domain/after-call/remote-writes/write-outcome.ts';
import type { Call } from '../../../domain/calls/call.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';

type TranscriptReading = { kind: 'read'; transcript: string | undefined } | Unavailable;

/**
 * Reads a call's transcript, if it has one. Returns an unreadable file as `unavailable`, because an error would delay
 * the work on the call forever.
 */
export async function readTranscript(
  files: Pick<CallFiles, 'getTranscript'>,
  { transcript_key }: Pick<Call, 'transcript_key'>,
): Promise<TranscriptReading> {
  if (transcript_key === undefined) return { kind: 'read', transcript: undefined };
  return files.getTranscript(transcript_key).then(
    (transcript): TranscriptReading => ({ kind: 'read', transcript }),
    (error: Error): TranscriptReading => ({
      kind: 'unavailable',
      isOurs: true,
      reason: `the transcript cannot be read: ${error.name}`,
    }),
  );
}
