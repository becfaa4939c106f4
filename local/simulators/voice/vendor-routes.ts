import type { IncomingMessage, ServerResponse } from 'node:http';
import { validateCreateCall, validateUpdateCall } from './create-call.ts';
import { HttpProblem, readJson, send } from './http.ts';
import { listCalls } from './list-calls.ts';
import { placeCall } from './place-call.ts';
import { presignedLinks, recordingKinds, recordingReady, signedUrl } from './recordings.ts';
import type { HeldCall, Simulator } from './state.ts';
import type { VendorCall } from './vendor-call.ts';

/** The vendor's API: routes, keys and answers as its OpenAPI has them. */
export async function serveVendor(
  simulator: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const [first = '', second, third, ...rest] = url.pathname.split('/').filter(Boolean);
  if (request.method === 'POST' && third === 'control' && rest.length === 0)
    return controlCall(simulator, first, second ?? '', await readJson(request), response);
  if (first !== 'call' || rest.length > 0) throw notFound(request, url);
  authorize(simulator, request);
  if (second === undefined) {
    if (request.method === 'POST') return createCall(simulator, await readJson(request), request, response);
    if (request.method === 'GET')
      return send(
        response,
        200,
        listCalls(simulator.state, url.searchParams).map((held) => view(simulator, held)),
      );
    throw notFound(request, url);
  }
  const held = simulator.state.find(second);
  if (!held) throw new HttpProblem(404, 'Call not found');
  if (third !== undefined) return recording(simulator, held, third, request, response, url);
  switch (request.method) {
    case 'GET':
      return send(response, 200, view(simulator, held));
    case 'PATCH': {
      const update = validateUpdateCall(await readJson(request));
      if (!update.ok) throw new HttpProblem(update.status, update.message);
      if (update.value.name !== undefined) held.call.name = update.value.name;
      held.call.updatedAt = simulator.state.now();
      return send(response, 200, view(simulator, held));
    }
    case 'DELETE':
      // Deletes the data; it is not a way to hang up.
      held.deleted = true;
      return send(response, 200, view(simulator, held));
    default:
      throw notFound(request, url);
  }
}

function authorize(simulator: Simulator, request: IncomingMessage): void {
  if (request.headers.authorization !== `Bearer ${simulator.apiKey}`)
    throw new HttpProblem(
      401,
      'Invalid Key. Hot tip, you may be using the private key instead of the public key, or vice versa.',
    );
}

function createCall(simulator: Simulator, body: unknown, request: IncomingMessage, response: ServerResponse): void {
  const valid = validateCreateCall(body);
  if (!valid.ok) throw new HttpProblem(valid.status, valid.message);
  const placed = placeCall(simulator, valid.value);
  if (placed.answer === 201) send(response, 201, placed.body);
  if (placed.answer === 'dropped') request.socket.destroy();
  // 'none': the connection stays open until the caller gives up.
}

function recording(
  simulator: Simulator,
  held: HeldCall,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): void {
  const kind = recordingKinds.find((each) => name === `${each}-recording`);
  if (!kind || request.method !== 'GET') throw notFound(request, url);
  if (!recordingReady(simulator.state, held)) throw new HttpProblem(404, 'Recording not found');
  response.writeHead(302, { location: signedUrl(simulator, held.call.id, kind) }).end();
}

/** The control URL is its own key: whoever knows it may end the call. */
function controlCall(simulator: Simulator, id: string, token: string, body: unknown, response: ServerResponse): void {
  const held = simulator.state.find(id);
  if (!held || held.controlToken !== token || held.call.status === 'ended')
    throw new HttpProblem(404, 'Call not found');
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined;
  if (type === 'end-call') held.hangUp.abort();
  else if (type === 'say' || type === 'add-message') simulator.log(`${id} told to ${type}`);
  else if (type === 'transfer') throw new HttpProblem(501, 'transfer by control URL is not simulated');
  else throw new HttpProblem(400, ['type must be one of the following values: end-call, say, add-message, transfer']);
  send(response, 200, { success: true });
}

/** A call as the API shows it, with new download links each time. */
function view(simulator: Simulator, held: HeldCall): VendorCall {
  const call = structuredClone(held.call);
  if (call.artifact) call.artifact = { ...call.artifact, ...presignedLinks(simulator, held) };
  return call;
}

function notFound(request: IncomingMessage, url: URL): HttpProblem {
  return new HttpProblem(404, `Cannot ${request.method} ${url.pathname}`);
}
