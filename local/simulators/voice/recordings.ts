import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeldCall, Simulator, SimulatorState } from './state.ts';
import { type Artifact, effectiveAssistant } from './vendor-call.ts';
import { toneWav } from './wav.ts';

export const recordingKinds = ['mono', 'stereo', 'customer', 'assistant'] as const;
export type RecordingKind = (typeof recordingKinds)[number];

/** Whether the call was talked in, was to be recorded, and the file is there by now. */
export function recordingReady(state: SimulatorState, held: HeldCall): boolean {
  const due = (held.endedAtMs ?? Number.POSITIVE_INFINITY) + 1000 * (held.script.recordingDelaySeconds ?? 0);
  return recorded(held) && state.clock() >= due;
}

function recorded(held: HeldCall): boolean {
  const wanted = effectiveAssistant(held.request).artifactPlan?.recordingEnabled !== false;
  return wanted && held.call.startedAt !== undefined && !held.script.noRecording;
}

/** The stable links of a report; the bucket is private, so they do not download. */
export function rawRecordingLinks(simulator: Simulator, held: HeldCall): Partial<Artifact> {
  if (!recorded(held)) return {};
  const raw = (kind: RecordingKind) => `${simulator.storageUrl}/${held.call.id}/${kind}.wav`;
  return {
    recordingUrl: raw('mono'),
    stereoRecordingUrl: raw('stereo'),
    recording: {
      stereoUrl: raw('stereo'),
      mono: { combinedUrl: raw('mono'), assistantUrl: raw('assistant'), customerUrl: raw('customer') },
    },
  };
}

/** The links that download without a key; the vendor makes new ones for every response and every delivery. */
export function presignedLinks(simulator: Simulator, held: HeldCall): Pick<Artifact, `presigned${string}`> {
  if (!recordingReady(simulator.state, held)) return {};
  const link = (kind: RecordingKind) => signedUrl(simulator, held.call.id, kind);
  const expiresAt = simulator.state.clock() + 1000 * simulator.state.settings.signedUrlSeconds;
  return {
    presignedMonoUrl: link('mono'),
    presignedStereoUrl: link('stereo'),
    presignedCustomerUrl: link('customer'),
    presignedAssistantUrl: link('assistant'),
    presignedUrlsExpiresAt: new Date(expiresAt).toISOString(),
  };
}

/** A short-lived link to a recording, never the same twice. */
export function signedUrl({ state, storageUrl }: Simulator, callId: string, kind: RecordingKind): string {
  const path = `/${callId}/${kind}.wav`;
  const expires = String(state.clock() + 1000 * state.settings.signedUrlSeconds);
  const nonce = randomBytes(8).toString('hex');
  const query = new URLSearchParams({
    'X-Expires': expires,
    'X-Nonce': nonce,
    'X-Signature': signature(state, path, expires, nonce),
  });
  return `${storageUrl}${path}?${query}`;
}

function signature(state: SimulatorState, ...parts: string[]): string {
  return createHmac('sha256', state.signingKey).update(parts.join('\n')).digest('hex');
}

/** The bucket: it knows signed links only, and refuses a request that brings an Authorization header as well. */
export function serveRecording(state: SimulatorState, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://storage');
  const expires = url.searchParams.get('X-Expires');
  const nonce = url.searchParams.get('X-Nonce') ?? '';
  const given = url.searchParams.get('X-Signature');
  const [, callId = '', file = ''] = url.pathname.split('/');
  const kind = recordingKinds.find((name) => file === `${name}.wav`);
  const refuse = (status: number, code: string) =>
    response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);

  if (!given || !expires) return void refuse(400, 'InvalidArgument');
  if (request.headers.authorization) return void refuse(400, 'OnlyOneAuthMechanismAllowed');
  const expected = Buffer.from(signature(state, url.pathname, expires, nonce));
  const same = expected.length === given.length && timingSafeEqual(expected, Buffer.from(given));
  if (!same || state.clock() > Number(expires)) return void refuse(403, 'AccessDenied');
  const held = state.find(callId);
  if (!kind || !held || !recordingReady(state, held)) return void refuse(404, 'NoSuchKey');
  const wav = toneWav(kind === 'stereo' ? 2 : 1);
  response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': wav.length });
  response.end(request.method === 'HEAD' ? undefined : wav);
}
