import { withKeptFiles } from '../../domain/calls/retention/kept-files.ts';
import type { CallStore } from '../../stores/calls/calls.ts';

export type LinkRecordingDeps = {
  calls: Pick<CallStore, 'getToShow'>;
  /** Whether the bucket has the file. For a missing file, a link would show the storage's own error page. */
  isStored: (key: string) => Promise<boolean>;
  /** Returns a link that opens the recording for some minutes. */
  linkTo: (key: string, fileName?: string) => Promise<string>;
  now: () => Date;
};

export type LinkedRecording = { kind: 'found'; url: string } | { kind: 'call_not_found' | 'recording_not_found' };

/**
 * Makes a link to the recording of an organization's call. Another organization's call is reported as not found.
 * @param isDownload whether the link saves the file under a readable name
 */
export async function linkRecording(
  deps: LinkRecordingDeps,
  orgId: string,
  callId: string,
  isDownload = false,
): Promise<LinkedRecording> {
  const call = await deps.calls.getToShow(callId);
  if (call?.org_id !== orgId) return { kind: 'call_not_found' };
  const { recording } = withKeptFiles(call, deps.now());
  if (recording?.state !== 'stored' || !recording.key) return { kind: 'recording_not_found' };
  const { key } = recording;
  if (!(await deps.isStored(key))) return { kind: 'recording_not_found' };
  const fileName = isDownload ? `${callId}${key.slice(key.lastIndexOf('.'))}` : undefined;
  return { kind: 'found', url: await deps.linkTo(key, fileName) };
}
