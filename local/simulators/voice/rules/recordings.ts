import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Artifact, HeldCall } from '../model.ts';
import type { VoiceState } from '../state.ts';
import { effectiveAssistant } from './calls.ts';

export const recordingKinds = ['mono', 'stereo', 'customer', 'assistant'] as const;
export type RecordingKind = (typeof recordingKinds)[number];

/** Returns whether the file of a call's recording already exists. */
export function recordingReady(state: VoiceState, held: HeldCall): boolean {
  const due = (held.endedAtMs ?? Number.POSITIVE_INFINITY) + 1000 * (held.script.recordingDelaySeconds ?? 0);
  return isRecorded(held) && state.clock() >= due;
}

function isRecorded(held: HeldCall): boolean {
  const wanted = effectiveAssistant(held.request).artifactPlan?.recordingEnabled !== false;
  return wanted && held.call.startedAt !== undefined && !held.script.noRecording;
}

/** The stable links of a report. They do not download, because the bucket is private. */
export function rawRecordingLinks(state: VoiceState, held: HeldCall): Partial<Artifact> {
  if (!isRecorded(held)) return {};
  const raw = (kind: RecordingKind) => `${state.storageUrl}/${held.call.id}/${kind}.wav`;
  return {
    recordingUrl: raw('mono'),
    stereoRecordingUrl: raw('stereo'),
    recording: {
      stereoUrl: raw('stereo'),
      mono: { combinedUrl: raw('mono'), assistantUrl: raw('assistant'), customerUrl: raw('customer') },
    },
  };
}

/** Signed links that download without a key. The vendor creates new ones for every answer and every delivery. */
export function presignedLinks(state: VoiceState, held: HeldCall): Pick<Artifact, `presigned${string}`> {
  if (!recordingReady(state, held)) return {};
  const link = (kind: RecordingKind) => signedUrl(state, held.call.id, kind);
  const expiresAt = state.clock() + 1000 * state.settings.signedUrlSeconds;
  return {
    presignedMonoUrl: link('mono'),
    presignedStereoUrl: link('stereo'),
    presignedCustomerUrl: link('customer'),
    presignedAssistantUrl: link('assistant'),
    presignedUrlsExpiresAt: new Date(expiresAt).toISOString(),
  };
}

/** Creates a short-lived link to a recording. Every link is different. */
export function signedUrl(state: VoiceState, callId: string, kind: RecordingKind): string {
  const path = `/${callId}/${kind}.wav`;
  const expires = String(state.clock() + 1000 * state.settings.signedUrlSeconds);
  const nonce = randomBytes(8).toString('hex');
  const query = new URLSearchParams({
    'X-Expires': expires,
    'X-Nonce': nonce,
    'X-Signature': signature(state, path, expires, nonce),
  });
  return `${state.storageUrl}${path}?${query}`;
}

function signature(state: VoiceState, ...parts: string[]): string {
  return createHmac('sha256', state.signingKey).update(parts.join('\n')).digest('hex');
}

/** Checks a signed link. @returns false if it is forged or expired */
export function isSignatureValid(state: VoiceState, { pathname, searchParams }: URL): boolean {
  const expires = searchParams.get('X-Expires') ?? '';
  const given = Buffer.from(searchParams.get('X-Signature') ?? '');
  const expected = Buffer.from(signature(state, pathname, expires, searchParams.get('X-Nonce') ?? ''));
  return expected.length === given.length && timingSafeEqual(expected, given) && state.clock() <= Number(expires);
}
