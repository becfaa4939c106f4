import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type HttpRequest, open, request } from '../../../shared/integrations/http/request.ts';

/** Long enough for a busy machine to connect and to read the available bytes. */
const BOUND_MS = 1_000;
/** Far below the default limit of 10 s for an exchange, yet long enough for a busy machine. */
const SOON_MS = 6_000;
/** Below the default limit of 3 s for a connection. */
const CONNECT_SOON_MS = 2_900;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: net.Server): Promise<URL> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?x=1`);
}

const serve = (listener: RequestListener): Promise<URL> => listen(http.createServer(listener));
const speak = (speaker: (socket: Socket) => void): Promise<URL> => listen(net.createServer(speaker));
/** Starts a server that answers every request with this text. */
const answering = (text: string) => (socket: Socket) => socket.once('data', () => socket.write(text));

const ask = (url: URL, more: Partial<HttpRequest> = {}) =>
  request({ method: 'POST', url, json: { number: '+1' }, totalTimeoutMs: 30_000, ...more });

/** Measures a request. @returns its outcome and its duration. */
async function timed<T>(work: Promise<T>): Promise<{ outcome: T; ms: number }> {
  const started = performance.now();
  const outcome = await work;
  return { outcome, ms: performance.now() - started };
}

describe('a request', () => {
  it('may have a form in place of JSON', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      seen.push([req.headers['content-type'], Buffer.concat(chunks).toString()]);
      res.end();
    });
    await request({ method: 'POST', url, form: { a: 'x y&z', ü: '=+' } });
    expect(seen).toEqual([['application/x-www-form-urlencoded', 'a=x+y%26z&%C3%BC=%3D%2B']]);
  });

  it('is sent once as JSON on its own connection, and its whole answer is returned', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      seen.push({ method: req.method, path: req.url, headers: req.headers, body: Buffer.concat(chunks).toString() });
      res.writeHead(201, { 'x-answer': 'yes' }).end('{"id":"ü"}');
    });
    const outcome = await ask(url, { json: { name: 'Ü' }, headers: { authorization: 'Bearer k' } });
    expect(outcome).toMatchObject({
      kind: 'answered',
      status: 201,
      headers: { 'x-answer': 'yes' },
      body: '{"id":"ü"}',
    });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        path: '/path?x=1',
        body: '{"name":"Ü"}',
        headers: {
          authorization: 'Bearer k',
          'content-type': 'application/json',
          'content-length': '13',
          connection: 'close',
        },
      },
    ]);
  });

  it('without JSON has no body and no content type', async () => {
    const url = await serve((req, res) => void res.end(JSON.stringify(req.headers)));
    const outcome = await ask(url, { method: 'GET', json: undefined });
    expect(outcome.kind === 'answered' && JSON.parse(outcome.body)).not.toHaveProperty('content-type');
  });

  it.each([301, 302, 303, 307, 308])('never follows a redirect: %d is the answer', async (status) => {
    let visits = 0;
    const elsewhere = await serve((_req, res) => {
      visits += 1;
      res.end();
    });
    const url = await serve((_req, res) => void res.writeHead(status, { location: elsewhere.href }).end());
    expect(await ask(url)).toMatchObject({ kind: 'answered', status, headers: { location: elsewhere.href } });
    expect(visits).toBe(0);
  });

  it.each([400, 401, 408, 429, 500, 503])('is not repeated after %d', async (status) => {
    let visits = 0;
    const url = await serve((_req, res) => {
      visits += 1;
      res.writeHead(status, { 'retry-after': '0' }).end();
    });
    expect(await ask(url)).toMatchObject({ kind: 'answered', status });
    expect(visits).toBe(1);
  });
});

describe('a request that has not reached the server has the outcome not_sent', () => {
  it('if the connection is refused', async () => {
    const url = await serve((_req, res) => void res.end());
    closing.splice(0).map((close) => close());
    expect(await ask(url)).toEqual({ kind: 'not_sent', reason: 'ECONNREFUSED' });
  });

  it('if the host does not exist', async () => {
    expect(await ask(new URL('http://no-such-host.invalid/'))).toMatchObject({ kind: 'not_sent' });
  });

  it('if the TLS handshake fails', async () => {
    const url = await speak((socket) => socket.once('data', () => socket.end('no TLS here\r\n')));
    expect(await ask(new URL(`https://127.0.0.1:${url.port}/`))).toMatchObject({ kind: 'not_sent' });
  });

  it('if connecting takes too long', async () => {
    // The server accepts TCP connections and never starts TLS.
    const url = await speak(() => undefined);
    const { outcome, ms } = await timed(ask(new URL(`https://127.0.0.1:${url.port}/`), { connectTimeoutMs: 150 }));
    expect(outcome).toEqual({ kind: 'not_sent', reason: 'connect timeout' });
    expect(ms).toBeLessThan(CONNECT_SOON_MS);
  });
});

describe('a request that may have arrived has the outcome no_answer', () => {
  it('if the connection is reset after the request was read', async () => {
    const url = await speak((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await ask(url)).toEqual({ kind: 'no_answer', reason: 'ECONNRESET' });
  });

  it('if the connection is closed without an answer', async () => {
    const url = await speak((socket) => socket.once('data', () => socket.end()));
    expect(await ask(url)).toMatchObject({ kind: 'no_answer' });
  });

  it('if the answer breaks off', async () => {
    const url = await speak((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"id":');
        setTimeout(() => socket.destroy(), 50);
      }),
    );
    expect(await ask(url)).toMatchObject({ kind: 'no_answer' });
  });

  it('if the answer is not HTTP', async () => {
    const url = await speak(answering('HELLO\r\n\r\n'));
    expect(await ask(url)).toMatchObject({ kind: 'no_answer' });
  });

  it('if the server is silent, within its time limit', async () => {
    const url = await speak(() => undefined);
    const { outcome, ms } = await timed(ask(url, { totalTimeoutMs: BOUND_MS }));
    expect(outcome).toMatchObject({ kind: 'no_answer' });
    // Timers start at the time that a busy event loop last read from the clock.
    expect(ms).toBeGreaterThanOrEqual(BOUND_MS / 2);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'],
    ['a body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
  ])('if %s trickle endlessly, within its time limit', async (_what, head, drop) => {
    const url = await speak((socket) =>
      socket.once('data', () => {
        socket.write(head);
        const dripping = setInterval(() => socket.write(drop), 20);
        socket.on('close', () => clearInterval(dripping));
      }),
    );
    const { outcome, ms } = await timed(ask(url, { totalTimeoutMs: BOUND_MS }));
    expect(outcome).toMatchObject({ kind: 'no_answer' });
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('if the answer is too large, without reading all of it', async () => {
    let sent = 0;
    const url = await serve((_req, res) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        if (res.destroyed) return;
        sent += chunk.length;
        if (res.write(chunk)) setImmediate(more);
        else res.once('drain', more);
      };
      more();
    });
    expect(await ask(url, { maxBytes: 100_000 })).toEqual({ kind: 'no_answer', reason: 'answer too large' });
    expect(sent).toBeLessThan(50_000_000);
  });

  it('if the answer is one byte larger than the maximum', async () => {
    const url = await serve((_req, res) => void res.end('x'.repeat(1000)));
    expect(await ask(url, { maxBytes: 1000 })).toMatchObject({ kind: 'answered' });
    expect(await ask(url, { maxBytes: 999 })).toMatchObject({ kind: 'no_answer' });
  });

  it('if the server switches protocols', async () => {
    const url = await speak(
      answering('HTTP/1.1 101 Switching Protocols\r\nupgrade: foo\r\nconnection: upgrade\r\n\r\n'),
    );
    const { ms, outcome } = await timed(ask(url, { totalTimeoutMs: BOUND_MS }));
    expect(outcome.kind).toBe('no_answer');
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('with a reason that omits the contents and the address of the request', async () => {
    const url = await speak((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const outcome = await ask(new URL('/call/secret-path?token=t', url), { json: { number: '+919812345678' } });
    expect(JSON.stringify(outcome)).not.toMatch(/secret|token|9198|127\.0\.0\.1/);
  });
});

describe('a streamed answer', () => {
  it('is returned before its body has arrived, and fails if the body breaks off', async () => {
    const url = await speak((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
        setTimeout(() => socket.destroy(), 100);
      }),
    );
    const outcome = await open({ method: 'GET', url });
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    expect(outcome.status).toBe(200);
    await expect(outcome.body.toArray()).rejects.toThrow();
  });

  it('is aborted after its time limit', async () => {
    const url = await speak(answering('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'));
    const outcome = await open({ method: 'GET', url, totalTimeoutMs: BOUND_MS });
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    const { ms } = await timed(outcome.body.toArray().catch(() => undefined));
    expect(ms).toBeLessThan(SOON_MS);
  });
});
