import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { toneWav } from '../../../local/simulators/voice/rules/wav.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { callIdFor } from '../../../shared/domain/ids.ts';
import { aFinishedCall, aNotification } from '../../support/calls/finished-call.ts';
import { stores, type TestOrg } from '../../support/organizations/orgs.ts';

const SECONDS = 30;

/** A call of half a minute, with its recording, the times of its lines and a notification that was given up. */
export async function aHeardCall(org: TestOrg, callback_url: string, over: Partial<Call> = {}): Promise<Call> {
  const tone = toneWav(1, SECONDS);
  const said = 'AI: Namaste <b>Meera</b>.\nUser: Yes?\nAI: Saturday?\n';
  const file = { org_id: org.orgId, call_id: callIdFor(org.orgId, randomUUID()) };
  const audio = { body: Readable.from([tone]), contentType: 'audio/wav', contentLength: tone.length };
  const lines_key = await stores.files.putLines(file, [
    { who: 'assistant', text: 'Namaste <b>Meera</b>.', from: 0, to: 0.8 },
    { who: 'person', text: 'Yes?', from: 1, to: 9 },
    { who: 'assistant', text: 'Saturday?', from: 20, to: 22 },
  ]);
  const call = await aFinishedCall(org, said, {
    ...file,
    duration: SECONDS,
    lines_key,
    recording: { state: 'stored', key: `recordings/${file.org_id}/${file.call_id}.wav` },
    callback_url,
    callback_status: 'failed',
    ...over,
  });
  // Replaces the default recording of test calls.
  await stores.files.putRecording(file, audio, tone.length);
  await stores.callbacks.create(aNotification(call));
  return call;
}
