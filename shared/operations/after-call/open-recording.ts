import { checkRecordingLink, type LinkParts } from '../../domain/after-call/recording-link.ts';
import type { RecordedCall } from '../../domain/calls/parts/recorded-call.ts';
import { withKeptFiles } from '../../domain/calls/retention/kept-files.ts';

export type OpenRecordingDeps = {
  calls: { get: (callId: string) => Promise<RecordedCall | undefined> };
  /** Keys of recording links, the current one first. @param fresh to bypass the cache. */
  linkKeys: (fresh?: boolean) => Promise<[string, ...string[]]>;
  /** Returns a link that opens the recording for some minutes. */
  linkTo: (key: string) => Promise<string>;
  now: () => Date;
};

export type OpenedRecording =
  | { kind: 'found'; url: string }
  | { kind: 'invalid_link' | 'link_expired' | 'recording_not_found' };

/**
 * Opens the recording link of a note in CRM-B (docs/crm-b.md, "Recording links"). Checks the signature before it reads
 * the call, so that a forged link reveals nothing about calls.
 */
export async function openRecording(
  deps: OpenRecordingDeps,
  callId: string,
  parts: LinkParts,
): Promise<OpenedRecording> {
  const now = deps.now();
  let check = checkRecordingLink(await deps.linkKeys(), callId, parts, now);
  // The key may have been rotated since it was cached.
  if (check === 'unknown_key') check = checkRecordingLink(await deps.linkKeys(true), callId, parts, now);
  if (check === 'expired') return { kind: 'link_expired' };
  if (check !== 'valid') return { kind: 'invalid_link' };
  const call = await deps.calls.get(callId);
  const recording = call && withKeptFiles(call, now).recording;
  if (recording?.state !== 'stored' || !recording.key) return { kind: 'recording_not_found' };
  return { kind: 'found', url: await deps.linkTo(recording.key) };
}
