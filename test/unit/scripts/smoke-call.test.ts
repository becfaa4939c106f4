import type { IncomingMessage, ServerResponse } from 'node:http';
import { SmokeError, smokeCall } from '../../../scripts/smoke/smoke-call.ts';
import { viewCall } from '../../../shared/domain/calls/call-view.ts';
import { closeServers, serve } from '../../support/loopback.ts';
import { aCall } from '../support/call.ts';

afterEach(closeServers);

const call = aCall({ status: 'completed', duration: 7, cost: 1_000 });
const { call_id, phone_number, assistant_id } = call;
const queued = { request_id: 'r1', call_id, status: 'queued', phone_number, assistant_id, callback_url: null };

type Answering = (response: ServerResponse) => unknown;

const json =
  (body: object): Answering =>
  (response) =>
    response.end(JSON.stringify(body));

const placed = json({ ...queued, message: 'The call is queued.' });
const ended = json(viewCall(call));

/** Sends the start of a body, then closes the connection. */
const cutOff: Answering = (response) => {
  response.writeHead(200, { 'content-length': 1_000 }).flushHeaders();
  response.write('{', () => response.destroy());
};

/** Runs a smoke call. The requests of each method get these answers in order; the last answer repeats. */
async function smokeAgainst(posts: Answering[], gets: Answering[], timeLimitMs = 20_000) {
  const answers: Record<string, Answering[]> = { POST: posts, GET: gets };
  const { url } = await serve(({ method = '' }: IncomingMessage, response) => {
    const [next, ...others] = answers[method] ?? [];
    if (others.length > 0) answers[method] = others;
    next?.(response);
  });
  const ids = { apiKey: 'key', assistantId: assistant_id, phoneNumber: phone_number, idempotencyKey: 'smoke-1' };
  return smokeCall({ url, ...ids, timeLimitMs });
}

describe('a smoke call', () => {
  it('repeats a request whose answer is cut off', async () => {
    expect(await smokeAgainst([cutOff, placed], [ended])).toEqual({ callId: call_id, seconds: 7, cost: 1 });
  });

  it('fails with a sentence if answers are cut off until its time is over', async () => {
    await expect(smokeAgainst([cutOff], [ended], 500)).rejects.toEqual(
      new SmokeError('POST /v1/calls/outbound is not answered: UND_ERR_SOCKET.'),
    );
  });

  it.each<[string, Answering[], Answering[], string]>([
    ['HTML', [(response) => response.end('<!doctype html>')], [ended], 'POST /v1/calls/outbound'],
    ['JSON of another shape', [placed], [json({ id: call_id })], `GET /v1/calls/${call_id}`],
  ])('fails with a sentence if an answer of 200 is %s', async (_, posts, gets, request) => {
    await expect(smokeAgainst(posts, gets)).rejects.toEqual(
      new SmokeError(`${request} is answered with 200, but not with the body that the API describes.`),
    );
  });
});
