import type { Hono } from 'hono';
import { Problem } from '../../kit/answer.ts';
import { reply, type SimulatorEnv } from '../../kit/app.ts';
import type { HeldCall } from '../model.ts';
import { isSignatureValid, recordingKinds, recordingReady } from '../rules/recordings.ts';
import { toneWav } from '../rules/wav.ts';
import type { VoiceState } from '../state.ts';

/**
 * Adds the bucket of the recordings. It accepts only signed links, and refuses an Authorization header beside the
 * signature, as the vendor's storage does.
 */
export function mountStorage(app: Hono<SimulatorEnv>, state: VoiceState): void {
  app.get('/:callId?/:file?', (context) => {
    const { req } = context;
    const { callId = '', file } = req.param();
    const url = new URL(req.url);
    if (!url.searchParams.has('X-Signature') || !url.searchParams.has('X-Expires'))
      throw refusal(400, 'InvalidArgument');
    if (req.header('authorization')) throw refusal(400, 'OnlyOneAuthMechanismAllowed');
    if (!isSignatureValid(state, url)) throw refusal(403, 'AccessDenied');
    const held = state.find(callId);
    const kind = recordingKinds.find((name) => file === `${name}.wav`);
    if (!kind || !held || !recordingReady(state, held)) throw refusal(404, 'NoSuchKey');
    const { streamedRecordingBytes: size } = held.script;
    if (size !== undefined) return new Response(streamOf(size), { headers: { 'content-type': 'audio/wav' } });
    const bytes = toneWav(kind === 'stereo' ? 2 : 1, talkedSeconds(held));
    const headers = { 'content-type': 'audio/wav', 'content-length': String(bytes.length) };
    return reply(context, { status: 200, bytes, headers });
  });
}

/** A recording lasts as long as the talk. */
const talkedSeconds = ({ call: { startedAt = '', endedAt = startedAt } }: HeldCall): number =>
  (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;

const CHUNK_BYTES = 64 * 1024;

/** Creates a body of unknown length. */
function streamOf(size: number): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      const chunk = new Uint8Array(Math.min(left, CHUNK_BYTES));
      left -= chunk.length;
      controller.enqueue(chunk);
    },
  });
}

const refusal = (status: number, code: string) =>
  new Problem({
    status,
    bytes: new TextEncoder().encode(`<Error><Code>${code}</Code></Error>`),
    headers: { 'content-type': 'application/xml' },
  });
