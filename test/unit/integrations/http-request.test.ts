import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type HttpRequest, open, request, TIMED_OUT } from '../../../shared/integrations/http/request.ts';
import { answerRaw, closeServers, serve, serveRaw, trickle } from '../../support/loopback.ts';

afterEach(closeServers);

/** Long enough for a busy machine to connect and to read the available bytes. */
const BOUND_MS = 1_000;
/** Far below the default limit of 10 s for an exchange, yet long enough for a busy machine. */
const SOON_MS = 6_000;
/** Below the default limit of 3 s for a connection. */
const CONNECT_SOON_MS = 2_900;

const send = (origin: string, more: Partial<HttpRequest> = {}) =>
  request({
    method: 'POST',
    url: new URL('/path?x=1', origin),
    json: { number: '+1' },
    totalTimeoutMs: 30_000,
    ...more,
  });

/** Measures a request. @returns its outcome and its duration */
async function timed<T>(work: Promise<T>): Promise<{ outcome: T; ms: number }> {
  const started = performance.now();
  const outcome = await work;
  return { outcome, ms: performance.now() - started };
}

/** Starts a server that records its requests. */
async function recorder(status = 200, answer = '', answerHeaders: Record<string, string> = {}) {
  const seen: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string })[] = [];
  const { url } = await serve(async (received, response) => {
    const { method, url, headers } = received;
    seen.push({ method, url, headers, body: Buffer.concat(await received.toArray()).toString() });
    response.writeHead(status, answerHeaders).end(answer);
  });
  return { url, seen };
}

/** Starts a server that does this with a connection as soon as a request arrives. */
const onRequest = async (act: (socket: Socket) => unknown) =>
  (await serveRaw((socket) => socket.once('data', () => act(socket)))).url;

describe('a request', () => {
  it('may have a form in place of JSON', async () => {
    const { url, seen } = await recorder();
    await send(url, { json: undefined, form: { a: 'x y&z', ü: '=+' } });
    expect(seen).toMatchObject([
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=x+y%26z&%C3%BC=%3D%2B' },
    ]);
  });

  it('is sent once as JSON on its own connection, and its complete answer is returned', async () => {
    const { url, seen } = await recorder(201, '{"id":"ü"}', { 'x-answer': 'yes' });
    expect(await send(url, { json: { name: 'Ü' }, headers: { authorization: 'Bearer k' } })).toMatchObject({
      kind: 'answered',
      status: 201,
      headers: { 'x-answer': 'yes' },
      body: '{"id":"ü"}',
    });
    const headers = { 'content-type': 'application/json', 'content-length': '13', connection: 'close' };
    expect(seen).toMatchObject([
      { method: 'POST', url: '/path?x=1', body: '{"name":"Ü"}', headers: { ...headers, authorization: 'Bearer k' } },
    ]);
  });

  it('without JSON has no body and no content type', async () => {
    const { url, seen } = await recorder();
    await send(url, { method: 'GET', json: undefined });
    expect(seen).toMatchObject([{ body: '' }]);
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it.each([301, 302, 303, 307, 308])('never follows a redirect: %d is the answer', async (status) => {
    const elsewhere = await serve((_, response) => response.end());
    const { url } = await recorder(status, '', { location: elsewhere.url });
    expect(await send(url)).toMatchObject({ kind: 'answered', status, headers: { location: elsewhere.url } });
    expect(elsewhere.connections()).toBe(0);
  });

  it.each([400, 401, 408, 429, 500, 503])('is not repeated after %d', async (status) => {
    const { url, seen } = await recorder(status, '', { 'retry-after': '0' });
    expect(await send(url)).toMatchObject({ kind: 'answered', status });
    expect(seen).toHaveLength(1);
  });
});

describe('a request that has not reached the server has the outcome not_sent', () => {
  it('if the connection is refused', async () => {
    const server = await serve((_, response) => response.end());
    await server.close();
    expect(await send(server.url)).toEqual({ kind: 'not_sent', reason: 'ECONNREFUSED' });
  });

  it('if the host does not exist', async () => {
    expect(await send('http://no-such-host.invalid/')).toMatchObject({ kind: 'not_sent' });
  });

  it('if the TLS handshake fails', async () => {
    const url = await onRequest((socket) => socket.end('no TLS here\r\n'));
    expect(await send(url.replace('http:', 'https:'))).toMatchObject({ kind: 'not_sent' });
  });

  it('if connecting takes too long', async () => {
    // The server accepts TCP connections and never starts TLS.
    const { url } = await serveRaw(() => undefined);
    const { outcome, ms } = await timed(send(url.replace('http:', 'https:'), { connectTimeoutMs: 150 }));
    expect(outcome).toEqual({ kind: 'not_sent', reason: 'connect timeout' });
    expect(ms).toBeLessThan(CONNECT_SOON_MS);
  });
});

describe('a request that may have arrived has the outcome no_answer', () => {
  it.each<[string, (socket: Socket) => unknown]>([
    ['the connection is reset after the request was read', (socket) => socket.resetAndDestroy()],
    ['the connection is closed without an answer', (socket) => socket.end()],
    ['the answer is not HTTP', (socket) => socket.write('HELLO\r\n\r\n')],
    [
      'the answer breaks off',
      (socket) => {
        socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"id":');
        setTimeout(() => socket.destroy(), 50);
      },
    ],
  ])('if %s, with a reason that omits the contents and the address of the request', async (_, act) => {
    const outcome = await send(await onRequest(act), { json: { number: '+919812345678' } });
    expect(outcome).toEqual({ kind: 'no_answer', reason: expect.stringMatching(/^[A-Z_]+$/) });
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['the server is silent', () => undefined],
    [
      'headers trickle endlessly',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        trickle(socket, 'x: y\r\n');
      },
    ],
    [
      'a body trickles endlessly',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        trickle(socket, '1\r\nx\r\n');
      },
    ],
  ])('if %s, at its time limit', async (_, act) => {
    const { outcome, ms } = await timed(send(await onRequest(act), { totalTimeoutMs: BOUND_MS }));
    expect(outcome).toEqual({ kind: 'no_answer', reason: TIMED_OUT });
    // Timers start at the time that a busy event loop last read from the clock.
    expect(ms).toBeGreaterThanOrEqual(BOUND_MS / 2);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('if the answer is too large, without reading all of it', async () => {
    let sent = 0;
    const { url } = await serve((_, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        if (response.destroyed) return;
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    expect(await send(url, { maxBytes: 100_000 })).toEqual({ kind: 'no_answer', reason: 'answer too large' });
    expect(sent).toBeLessThan(50_000_000);
  });

  it.each([
    [1_000, 1_000],
    [8 * 1024 * 1024, undefined],
  ])('if the answer is one byte larger than %d bytes', async (most, maxBytes) => {
    const limit = maxBytes === undefined ? {} : { maxBytes };
    const { url } = await recorder(200, 'x'.repeat(most));
    expect(await send(url, limit)).toMatchObject({ kind: 'answered' });
    const larger = await recorder(200, 'x'.repeat(most + 1));
    expect(await send(larger.url, limit)).toEqual({ kind: 'no_answer', reason: 'answer too large' });
  });

  it('if the server switches protocols', async () => {
    const { url } = await answerRaw('HTTP/1.1 101 Switching Protocols\r\nupgrade: foo\r\nconnection: upgrade\r\n\r\n');
    const { ms, outcome } = await timed(send(url));
    expect(outcome).toEqual({ kind: 'no_answer', reason: 'protocol switched' });
    expect(ms).toBeLessThan(SOON_MS);
  });
});

describe('a streamed answer', () => {
  const opened = async (url: string, more: Partial<HttpRequest> = {}) => {
    const outcome = await open({ method: 'GET', url: new URL(url), ...more });
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    return outcome;
  };
  const beginning = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc';

  it('is returned before its body has arrived, and fails if the body breaks off', async () => {
    const url = await onRequest((socket) => {
      socket.write(beginning);
      setTimeout(() => socket.destroy(), 100);
    });
    const { status, body } = await opened(url);
    expect(status).toBe(200);
    await expect(body.toArray()).rejects.toThrow();
  });

  it('is aborted after its time limit', async () => {
    const { url } = await answerRaw(beginning);
    const { body } = await opened(url, { totalTimeoutMs: BOUND_MS });
    const { ms } = await timed(body.toArray().catch(() => undefined));
    expect(ms).toBeLessThan(SOON_MS);
  });
});
