import type { Hono } from 'hono';
import { WithheldAnswer } from '../../kit/answer.ts';
import { afterAnswer, reply, type SimulatorContext, type SimulatorEnv } from '../../kit/app.ts';
import { parsed } from '../../kit/body.ts';
import { delay } from '../../kit/faults.ts';
import type { HeldCall, VendorCall } from '../model.ts';
import { listCalls } from '../rules/list-calls.ts';
import { placeCall } from '../rules/place-call.ts';
import { problem } from '../rules/problems.ts';
import { presignedLinks, recordingKinds, recordingReady, signedUrl } from '../rules/recordings.ts';
import { readCreateCall, readUpdateCall } from '../rules/validation.ts';
import type { VoiceState } from '../state.ts';

const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** Adds the vendor's API as its OpenAPI describes it. */
export function mountApi(app: Hono<SimulatorEnv>, state: VoiceState, apiKey: string): void {
  app.post('/:id/:token/control', async (context) => {
    const { id, token } = context.req.param();
    controlCall(state, id, token, await readJson(context));
    return context.json({ success: true });
  });
  for (const path of ['/call/*', '/phone-number/*'])
    app.use(path, async ({ req }, next) => {
      if (req.header('authorization') !== `Bearer ${apiKey}`) throw problem(401, invalidKey);
      await next();
    });
  app.get('/phone-number/:id', (context) => context.json(numberOf(state, context.req.param('id'))));
  app.post('/call', async (context) => createCall(state, context));
  app.get('/call', async (context) => {
    const listed = listCalls(state, new URL(context.req.url).searchParams);
    for (const { script, resetController } of listed)
      if (script.listingSeconds) await delay(script.listingSeconds, resetController.signal);
    return context.json(listed.map((held) => view(state, held)));
  });
  app.get('/call/:id', (context) => context.json(view(state, callOf(state, context.req.param('id')))));
  app.patch('/call/:id', async (context) => {
    const held = callOf(state, context.req.param('id'));
    const { name } = readUpdateCall(await readJson(context));
    if (name !== undefined) held.call.name = name;
    held.call.updatedAt = state.now();
    return context.json(view(state, held));
  });
  app.delete('/call/:id', (context) => {
    const held = callOf(state, context.req.param('id'));
    const failure = held.script.deleteAnswers?.[held.deletions];
    held.deletions += 1;
    if (failure === 'none') throw new WithheldAnswer('none');
    if (failure === 'deletion-failed') return context.json({ ...view(state, held), status: failure });
    if (failure !== undefined) throw problem(failure, 'Recordings are not deleted yet. Retry.');
    // The vendor deletes the data of the call, but does not end it.
    held.deleted = true;
    return context.json(view(state, held));
  });
  app.get('/call/:id/:name', (context) => {
    const { id, name } = context.req.param();
    const held = callOf(state, id);
    const kind = recordingKinds.find((each) => name === `${each}-recording`);
    if (!kind) throw notFound(context);
    if (!recordingReady(state, held)) throw problem(404, 'Recording not found');
    return context.redirect(signedUrl(state, held.call.id, kind));
  });
  app.all('*', (context) => {
    throw notFound(context);
  });
}

/** Shows a number of this account: every UUID is one, except those that begin with eight zeros. */
function numberOf(state: VoiceState, id: string) {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) throw problem(400, 'id must be a UUID');
  if (id.startsWith('00000000-')) throw problem(404, 'Phone number not found');
  const at = new Date(state.clock()).toISOString();
  return { id, orgId: state.orgId, provider: 'byo-phone-number', status: 'active', createdAt: at, updatedAt: at };
}

const invalidKey = 'Invalid Key. Hot tip, you may be using the private key instead of the public key, or vice versa.';

const notFound = ({ req }: SimulatorContext) => problem(404, `Cannot ${req.method} ${req.path}`);

/** @returns undefined if the body is empty */
async function readJson({ req }: SimulatorContext): Promise<unknown> {
  const text = await req.text();
  if (Buffer.byteLength(text) > MAX_BODY_BYTES) throw problem(400, 'request entity too large');
  if (text === '') return undefined;
  const value = parsed(text);
  if (value === undefined) throw problem(400, 'Unexpected token in JSON');
  return value;
}

async function createCall(state: VoiceState, context: SimulatorContext): Promise<Response> {
  const placed = placeCall(state, readCreateCall(await readJson(context)));
  if (placed.answer !== 201) throw new WithheldAnswer(placed.answer);
  await placed.wait();
  afterAnswer(context, placed.start);
  return reply(context, { status: 201, json: placed.body });
}

function callOf(state: VoiceState, id: string): HeldCall {
  const held = state.find(id);
  if (!held) throw problem(404, 'Call not found');
  return held;
}

/** Controls a live call. Its URL is secret and needs no key. */
function controlCall(state: VoiceState, id: string, token: string, body: unknown): void {
  const held = callOf(state, id);
  if (held.controlToken !== token || held.call.status === 'ended') throw problem(404, 'Call not found');
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined;
  if (type === 'end-call') held.hangUp.abort();
  else if (type === 'say' || type === 'add-message') state.log(`${id}: ${type}`);
  else if (type === 'transfer') throw problem(501, 'transfer by control URL is not simulated');
  else throw problem(400, ['type must be one of the following values: end-call, say, add-message, transfer']);
}

/** Shows a call as the API does, with new download links each time. */
function view(state: VoiceState, held: HeldCall): VendorCall {
  const call = structuredClone(held.call);
  if (call.artifact) call.artifact = { ...call.artifact, ...presignedLinks(state, held) };
  return call;
}
