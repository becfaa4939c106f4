import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  type CallbackRequest,
  type SendCallbackOptions,
  sendCallback,
} from '../../../shared/integrations/callbacks/send-callback.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const FOREIGN_SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/**
 * A public address in an unallocated range (IANA: 3000::/8), so that no host answers.
 */
const PUBLIC_ADDRESS = '3000::1';

describe('sendCallback', () => {
  it('posts body and headers unchanged', async () => {
    const receiver = await aReceiver((_request, response) => response.writeHead(204).end());
    const body = JSON.stringify({ type: 'call.completed', name: 'नमस्ते' });

    expect(await send({ url: `${receiver.url}/hook?key=1`, body, webhookId: 'msg_1' })).toEqual({
      kind: 'answered',
      status: 204,
    });

    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]).toMatchObject({ method: 'POST', path: '/hook?key=1', body });
    expect(receiver.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'webhook-id': 'msg_1',
      'user-agent': expect.stringContaining('voice-assistant-calling-service'),
      connection: 'close',
    });
  });

  it('dates the attempt in whole seconds', async () => {
    const receiver = await aReceiver();
    await send({ url: receiver.url, timestamp: new Date('2026-01-02T03:04:05.999Z') });
    expect(receiver.requests[0]?.headers['webhook-timestamp']).toBe(String(Date.UTC(2026, 0, 2, 3, 4, 5) / 1000));
  });

  it('signs with both secrets of a rotation and no other, so that the receiver can verify with either', async () => {
    const receiver = await aReceiver();
    await send({ url: receiver.url, secrets: [SECRET, OLD_SECRET], body: '{"a":"ü"}' });
    const { body, headers } = receiver.requests[0] ?? fail('nothing arrived');

    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual({ a: 'ü' });
    expect(new Webhook(OLD_SECRET).verify(body, headers as Record<string, string>)).toEqual({ a: 'ü' });
    expect(() => new Webhook(FOREIGN_SECRET).verify(body, headers as Record<string, string>)).toThrow(
      'No matching signature',
    );
    expect(() => new Webhook(SECRET).verify(`${body} `, headers as Record<string, string>)).toThrow(
      'No matching signature',
    );
  });

  it('signs once with a single secret', async () => {
    const receiver = await aReceiver();
    await send({ url: receiver.url });
    expect(receiver.requests[0]?.headers['webhook-signature']).toMatch(/^v1,[\w+/]+=*$/);
  });

  it.each(['whsec_', 'whsec_not base64'])('throws for the secret %p without sending a request', async (secret) => {
    const receiver = await aReceiver();
    await expect(send({ url: receiver.url, secrets: [secret] })).rejects.toThrow();
    expect(receiver.requests).toEqual([]);
  });

  it('never reuses a connection', async () => {
    const receiver = await aReceiver();
    await send({ url: receiver.url });
    await send({ url: receiver.url });
    expect(new Set(receiver.requests.map(({ port }) => port)).size).toBe(2);
  });
});

describe('sendCallback and the addresses it connects to', () => {
  it('resolves a name once, so that DNS rebinding cannot reach a loopback server', async () => {
    const receiver = await aReceiver();
    const answers = [[{ address: PUBLIC_ADDRESS }], [{ address: '127.0.0.1' }], [{ address: '127.0.0.1' }]];
    let lookups = 0;

    const outcome = await send(
      { url: `https://rebinding.example.com:${receiver.port}/` },
      { allowLoopback: false, connectTimeoutMs: 300, lookup: async () => answers[lookups++] ?? [] },
    );

    expect(outcome.kind).toBe('failed');
    expect(lookups).toBe(1);
    expect(receiver.connections()).toBe(0);
  });

  it('connects to the resolved address, even if the system resolves the name differently', async () => {
    const receiver = await aReceiver();
    expect(
      (await send({ url: `http://localhost:${receiver.port}/` }, { lookup: async () => [{ address: '127.0.0.1' }] }))
        .kind,
    ).toBe('answered');
    expect(
      (
        await send(
          { url: `http://localhost:${receiver.port}/` },
          { lookup: async () => [{ address: PUBLIC_ADDRESS }], connectTimeoutMs: 300 },
        )
      ).kind,
    ).toBe('failed');
    expect(receiver.connections()).toBe(1);
  });

  it('does not look up IP addresses', async () => {
    const receiver = await aReceiver();
    expect(await send({ url: receiver.url }, { lookup: () => fail('looked up') })).toMatchObject({ kind: 'answered' });
  });

  it('tries the next address if the first does not answer', async () => {
    const receiver = await aReceiver();
    const lookup = async () => [{ address: '::1' }, { address: '127.0.0.1' }]; // the receiver listens on IPv4 only
    expect(await send({ url: `http://localhost:${receiver.port}/` }, { lookup })).toMatchObject({ kind: 'answered' });
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['a public and a private address', [PUBLIC_ADDRESS, '127.0.0.1']],
    ['a private and a public address', ['127.0.0.1', PUBLIC_ADDRESS]],
    ['cloud metadata', ['169.254.169.254']],
    ['loopback mapped into IPv6', ['::ffff:127.0.0.1']],
    ['loopback behind NAT64', ['64:ff9b::7f00:1']],
    ['a link-local address with zone', ['fe80::1%lo']],
    ['something that is no address', ['nonsense']],
  ])('refuses a name that resolves to %s', async (_what, addresses) => {
    const receiver = await aReceiver();
    const lookup = async () => addresses.map((address) => ({ address }));
    for (const allowLoopback of [false, true]) {
      expect(
        await send({ url: `https://name.example.com:${receiver.port}/secret-path` }, { allowLoopback, lookup }),
      ).toEqual({
        kind: 'refused_address',
        reason: 'must not resolve to a private or reserved address',
      });
    }
    expect(receiver.connections()).toBe(0);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'refuses %s without a lookup unless loopback is allowed',
    async (host) => {
      const receiver = await aReceiver();
      const lookup = () => fail('looked up');
      for (const scheme of ['http', 'https']) {
        const outcome = await send({ url: `${scheme}://${host}:${receiver.port}/` }, { allowLoopback: false, lookup });
        expect(outcome.kind).toBe('refused_address');
      }
      expect(receiver.connections()).toBe(0);
    },
  );

  it.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    const target = await aReceiver();
    const receiver = await aReceiver((_request, response) =>
      response.writeHead(status, { location: `${target.url}/inside` }).end(),
    );
    expect(await send({ url: receiver.url })).toEqual({ kind: 'answered', status });
    expect(target.connections()).toBe(0);
  });

  it('uses TLS for an https address', async () => {
    const receiver = await aReceiver();
    expect(await send({ url: receiver.url.replace('http:', 'https:') })).toMatchObject({ kind: 'failed' });
    expect(receiver.requests).toEqual([]);
  });
});

describe('sendCallback and receivers that misbehave', () => {
  /** Long enough for a busy machine to connect and to read the available bytes. */
  const BOUND_MS = 1_000;
  /** Far below the default limit of 10 s, yet long enough for a busy machine. */
  const SOON_MS = 6000;
  const bounded = { connectTimeoutMs: BOUND_MS, totalTimeoutMs: BOUND_MS };
  /** A time limit for the connection, far below the default of 3 s. */
  const CONNECT_MS = 300;
  const CONNECT_SOON_MS = 2900;

  it('ends in time if the receiver accepts and stays silent', async () => {
    const receiver = await aTcpReceiver(() => {});
    const { outcome, tookMs } = await timed(send({ url: receiver.url }, bounded));
    expect(outcome).toEqual({ kind: 'failed', reason: 'no answer in time' });
    expect(tookMs).toBeLessThan(SOON_MS);
  });

  it('ends in time if a header trickles in', async () => {
    const receiver = await aTcpReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      trickle(socket, 'a');
    });
    const { outcome, tookMs } = await timed(send({ url: receiver.url }, bounded));
    expect(outcome).toEqual({ kind: 'failed', reason: 'no answer in time' });
    expect(tookMs).toBeLessThan(SOON_MS);
  });

  it('ends in time if the body trickles in, and returns the status that had arrived', async () => {
    const receiver = await aTcpReceiver((socket) => {
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 60000\r\n\r\n');
      trickle(socket, 'a');
    });
    const { outcome, tookMs } = await timed(send({ url: receiver.url }, bounded));
    expect(outcome).toEqual({ kind: 'answered', status: 202 });
    expect(tookMs).toBeLessThan(SOON_MS);
    await receiver.allClosed();
  });

  it('ends in time if the receiver sends endless interim answers', async () => {
    const receiver = await aTcpReceiver((socket) => trickle(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'));
    const { outcome, tookMs } = await timed(send({ url: receiver.url }, bounded));
    expect(outcome).toEqual({ kind: 'failed', reason: 'no answer in time' });
    expect(tookMs).toBeLessThan(SOON_MS);
  });

  it('ends in time if DNS does not answer', async () => {
    const lookup = () => new Promise<never>(() => {});
    const { outcome, tookMs } = await timed(
      send({ url: 'https://slow.example.com/' }, { connectTimeoutMs: CONNECT_MS, lookup }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('name not resolved') });
    expect(tookMs).toBeLessThan(CONNECT_SOON_MS);
  });

  it('ends in time if the receiver does not start TLS', async () => {
    const receiver = await aTcpReceiver(() => {});
    const url = receiver.url.replace('http:', 'https:');
    const { outcome, tookMs } = await timed(send({ url }, { connectTimeoutMs: CONNECT_MS, totalTimeoutMs: 60_000 }));
    expect(outcome).toEqual({ kind: 'failed', reason: 'no connection in time' });
    expect(tookMs).toBeLessThan(CONNECT_SOON_MS);
  });

  it('allows more time for the answer than for the connection', async () => {
    const receiver = await aReceiver((_request, response) => setTimeout(() => response.end(), 2 * BOUND_MS));
    expect(await send({ url: receiver.url }, { connectTimeoutMs: BOUND_MS })).toEqual({
      kind: 'answered',
      status: 200,
    });
  });

  it('closes the connection on a huge body, and returns the status', async () => {
    let sent = 0;
    const receiver = await aTcpReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
      const chunk = Buffer.alloc(16 * 1024, 'a');
      const pump = () => {
        while (!socket.destroyed) {
          sent += chunk.length;
          if (!socket.write(chunk)) return void socket.once('drain', pump);
        }
      };
      pump();
    });
    const { outcome, tookMs } = await timed(send({ url: receiver.url }, { totalTimeoutMs: 60_000 }));
    expect(outcome).toEqual({ kind: 'answered', status: 200 });
    expect(tookMs).toBeLessThan(SOON_MS);
    await receiver.allClosed();
    expect(sent).toBeLessThan(64 * 1024 * 1024); // More than socket buffers hold, but no endless stream.
  });

  it.each([
    ['hangs up', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['speaks no HTTP', (socket: Socket) => socket.end('secret-answer\r\n\r\n')],
    [
      'sends endless headers',
      (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'secret-answer'.repeat(9999)}\r\n\r\n`),
    ],
  ])('fails without revealing the answer if the receiver %s', async (_what, act) => {
    const receiver = await aTcpReceiver(act);
    const outcome = await send({ url: `${receiver.url}/secret-path?secret-key` });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^[A-Z_]+$|^no answer$/) });
  });

  it('treats a switch of protocols as an answer', async () => {
    const receiver = await aTcpReceiver((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    });
    expect(await send({ url: receiver.url })).toEqual({ kind: 'answered', status: 101 });
    await receiver.allClosed();
  });

  it('returns the status if the connection breaks within the body', async () => {
    const receiver = await aTcpReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'));
    expect(await send({ url: receiver.url })).toEqual({ kind: 'answered', status: 200 });
  });

  it('reports a code for a failed connection, without path and query', async () => {
    const receiver = await aReceiver();
    await receiver.close();
    expect(await send({ url: `${receiver.url}/secret-path?secret-key` })).toEqual({
      kind: 'failed',
      reason: 'ECONNREFUSED',
    });

    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.example.com'), { code: 'ENOTFOUND' });
    const lookup = () => Promise.reject(unknown);
    expect(await send({ url: 'https://nowhere.example.com/secret-path' }, { lookup })).toEqual({
      kind: 'failed',
      reason: 'name not resolved (ENOTFOUND)',
    });
    expect(await send({ url: 'https://nowhere.example.com/' }, { lookup: async () => [] })).toEqual({
      kind: 'failed',
      reason: 'name has no address',
    });
  });
});

describe('sendCallback and Retry-After', () => {
  const timestamp = new Date('2026-01-02T03:00:00Z');
  it.each([
    ['120', 120],
    ['0', 0],
    ['Fri, 02 Jan 2026 03:01:30 GMT', 90],
    ['Fri, 02 Jan 2026 02:00:00 GMT', 0],
  ])('reads %p as %i s', async (header, retryAfterSeconds) => {
    const receiver = await aReceiver((_request, response) => response.writeHead(503, { 'retry-after': header }).end());
    expect(await send({ url: receiver.url, timestamp })).toEqual({ kind: 'answered', status: 503, retryAfterSeconds });
  });

  it.each(['soon', '-5', '1.5', '1e9', '9999999999', '2026-01-02T03:01:30Z'])('ignores %p', async (header) => {
    const receiver = await aReceiver((_request, response) => response.writeHead(503, { 'retry-after': header }).end());
    expect(await send({ url: receiver.url, timestamp })).toEqual({ kind: 'answered', status: 503 });
  });
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

function send(callback: Partial<CallbackRequest>, options: Partial<SendCallbackOptions> = {}) {
  const whole: CallbackRequest = {
    url: '',
    webhookId: 'msg',
    timestamp: new Date(),
    body: '{}',
    secrets: [SECRET],
    ...callback,
  };
  return sendCallback(whole, { allowLoopback: true, ...options });
}

async function timed<T>(work: Promise<T>): Promise<{ outcome: T; tookMs: number }> {
  const startedAt = performance.now();
  return { outcome: await work, tookMs: performance.now() - startedAt };
}

function fail(message: string): never {
  throw new Error(message);
}

/** Writes repeatedly until the socket is closed. */
function trickle(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.once('close', () => clearInterval(timer));
}

type Received = {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  port: number | undefined;
};

/** Starts an HTTP server on the loopback interface that records its requests. Answers 200 by default. */
async function aReceiver(answer: RequestListener = (_request, response) => response.end('ok')) {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    requests.push({
      method: request.method,
      path: request.url,
      headers: request.headers,
      body,
      port: request.socket.remotePort,
    });
    answer(request, response);
  });
  return { requests, ...(await listening(server)) };
}

/** Starts a server with full control over the raw connection. */
const aTcpReceiver = (act: (socket: Socket) => unknown) =>
  listening(
    createTcpServer((socket) => {
      socket.on('error', () => {}); // The sender closes the connection in these tests.
      socket.resume(); // Without reading, the server would not notice that the other side has ended.
      act(socket);
    }),
  );

async function listening(server: Server | TcpServer) {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of open) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  closers.push(close);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    /** Resolves when the sender has closed the connection. */
    allClosed: async () => {
      while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    close,
  };
}
