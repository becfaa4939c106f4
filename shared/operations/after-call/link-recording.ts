import type { CallStore } from '../../stores/calls/calls.ts';

export type LinkRecordingDeps = {
  calls: Pick<CallStore, 'get'>;
  /** Returns a link that opens the recording for some minutes. */
  linkTo: (key: string) => Promise<string>;
};

export type LinkedRecording = { kind: 'found'; url: string } | { kind: 'call_not_found' | 'recording_not_found' };

/** Makes a link to the recording of an organization's call. A call of another one is reported as not found. */
export async function linkRecording(deps: LinkRecordingDeps, orgId: string, callId: string): Promise<LinkedRecording> {
  const call = await deps.calls.get(callId);
  if (call?.org_id !== orgId) return { kind: 'call_not_found' };
  if (call.recording?.state !== 'stored' || !call.recording.key) return { kind: 'recording_not_found' };
  return { kind: 'found', url: await deps.linkTo(call.recording.key) };
}
