import { checkRecordingLink, type LinkParts } from '../../domain/after-call/recording-link.ts';
import type { CallStore } from '../../stores/calls/calls.ts';

export type OpenRecordingDeps = {
  calls: Pick<CallStore, 'get'>;
  /** Keys of recording links, the current one first. @param fresh past what is kept. */
  linkKeys: (fresh?: boolean) => Promise<[string, ...string[]]>;
  /** A link that opens the recording for some minutes. */
  linkTo: (key: string) => Promise<string>;
  now: () => Date;
};

export type OpenedRecording =
  | { kind: 'found'; url: string }
  | { kind: 'invalid_link' | 'link_expired' | 'recording_not_found' };

/**
 * Opens the link to a recording that stands in CRM-B (docs/crm-b.md, "Recording links"). A link that we have not signed is
 * refused before any call is looked up, so that it tells nothing about one.
 */
export async function openRecording(
  deps: OpenRecordingDeps,
  callId: string,
  parts: LinkParts,
): Promise<OpenedRecording> {
  const now = deps.now();
  let check = checkRecordingLink(await deps.linkKeys(), callId, parts, now);
  // The key may have been replaced a minute ago.
  if (check === 'unknown_key') check = checkRecordingLink(await deps.linkKeys(true), callId, parts, now);
  if (check === 'expired') return { kind: 'link_expired' };
  if (check !== 'valid') return { kind: 'invalid_link' };
  const call = await deps.calls.get(callId);
  if (call?.recording?.state !== 'stored' || !call.recording.key) return { kind: 'recording_not_found' };
  return { kind: 'found', url: await deps.linkTo(call.recording.key) };
}
