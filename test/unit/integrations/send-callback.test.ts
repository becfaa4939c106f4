import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import {
  type CallbackRequest,
  type SendCallbackOptions,
  sendCallback,
} from '../../../shared/integrations/callbacks/send-callback.ts';
import { closeServers, serve, serveRaw, trickle } from '../../support/loopback.ts';

afterEach(closeServers);

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const SECRET = secretOf(1);
/** A public address in an unallocated range (IANA: 3000::/8), so that no host answers. */
const PUBLIC_ADDRESS = '3000::1';

function send(callback: Partial<CallbackRequest>, options: Partial<SendCallbackOptions> = {}) {
  const whole = { url: '', webhookId: 'msg', timestamp: new Date(), body: '{}', secrets: [SECRET], ...callback };
  return sendCallback(whole as CallbackRequest, { allowLoopback: true, ...options });
}

type Received = { method?: string; path?: string; headers: IncomingHttpHeaders; body: string; port?: number };

/** Starts a server that records its requests, and answers 200 by default. */
async function aReceiver(answer: RequestListener = (_request, response) => response.end('ok')) {
  const requests: Received[] = [];
  const server = await serve(async (request, response) => {
    const { method, url: path, headers, socket } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    requests.push({ method, path, headers, body, port: socket.remotePort } as Received);
    answer(request, response);
  });
  return { requests, ...server };
}

const failing = (message: string) => () => {
  throw new Error(message);
};
const resolvingTo = (...addresses: string[]) => {
  return async () => addresses.map((address) => ({ address }));
};

describe('sendCallback', () => {
  it('posts body and headers unchanged', async () => {
    const receiver = await aReceiver((_request, response) => response.writeHead(204).end());
    const body = JSON.stringify({ type: 'call.completed', name: 'नमस्ते' });
    const outcome = await send({ url: `${receiver.url}/hook?key=1`, body, webhookId: 'msg_1' });
    expect(outcome).toEqual({ kind: 'answered', status: 204 });
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'webhook-id': 'msg_1',
      'user-agent': expect.stringContaining('voice-assistant-calling-service'),
      connection: 'close',
    };
    expect(receiver.requests).toEqual([
      expect.objectContaining({ method: 'POST', path: '/hook?key=1', body, headers: expect.objectContaining(headers) }),
    ]);
  });

  it('dates the attempt in whole seconds', async () => {
    const receiver = await aReceiver();
    await send({ url: receiver.url, timestamp: new Date('2026-01-02T03:04:05.999Z') });
    expect(receiver.requests[0]?.headers['webhook-timestamp']).toBe(String(Date.UTC(2026, 0, 2, 3, 4, 5) / 1000));
  });

  it('signs with both secrets of a rotation and no other, so that the receiver can verify with either', async () => {
    const receiver = await aReceiver();
    await send({ url: receiver.url, secrets: [SECRET, secretOf(2)], body: '{"a":"ü"}' });
    const { body = '', headers } = receiver.requests[0] ?? {};
    const verify = (secret: string, text: string) =>
      new Webhook(secret).verify(text, headers as Record<string, string>);
    for (const secret of [SECRET, secretOf(2)]) expect(verify(secret, body)).toEqual({ a: 'ü' });
    expect(() => verify(secretOf(3), body)).toThrow('No matching signature');
    expect(() => verify(SECRET, `${body} `)).toThrow('No matching signature');
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

describe('sendCallback', () => {
  it('resolves a name once, so that DNS rebinding cannot reach a loopback server', async () => {
    const receiver = await aReceiver();
    const answers = [PUBLIC_ADDRESS, '127.0.0.1', '127.0.0.1'];
    let lookups = 0;
    const outcome = await send(
      { url: `https://rebinding.example.com:${receiver.port}/` },
      { allowLoopback: false, connectTimeoutMs: 300, lookup: () => resolvingTo(answers[lookups++] ?? '')() },
    );
    expect([outcome.kind, lookups, receiver.connections()]).toEqual(['failed', 1, 0]);
  });

  it('checks the addresses of names of a wildcard DNS again for every callback', async () => {
    const receiver = await aReceiver();
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      // Public at the first callback, private from the second on.
      return [{ address: asked.length === 1 ? PUBLIC_ADDRESS : '169.254.169.254' }];
    };
    const url = `https://169.254.169.254.wildcard.example:${receiver.port}/`;
    const options = { allowLoopback: false, connectTimeoutMs: 300, lookup };
    const kinds = [(await send({ url }, options)).kind, (await send({ url }, options)).kind];
    expect([kinds, asked.length, receiver.connections()]).toEqual([['failed', 'refused_address'], 2, 0]);
  });

  it('connects to the resolved address, even if the system resolves the name differently', async () => {
    const receiver = await aReceiver();
    const sendVia = (address: string) =>
      send({ url: `http://localhost:${receiver.port}/` }, { lookup: resolvingTo(address), connectTimeoutMs: 300 });
    expect((await sendVia('127.0.0.1')).kind).toBe('answered');
    expect((await sendVia(PUBLIC_ADDRESS)).kind).toBe('failed');
    expect(receiver.connections()).toBe(1);
  });

  it('does not look up IP addresses', async () => {
    const receiver = await aReceiver();
    expect(await send({ url: receiver.url }, { lookup: failing('looked up') })).toMatchObject({ kind: 'answered' });
  });

  it('tries the next address if the first does not answer', async () => {
    const receiver = await aReceiver();
    // The receiver listens on IPv4 only.
    const lookup = resolvingTo('::1', '127.0.0.1');
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
    ['text that is not an address', ['nonsense']],
    ['the metadata behind 6to4', ['2002:a9fe:a9fe::1']],
    ['the metadata of AWS in IPv6', ['fd00:ec2::254']],
    ['an address in another spelling', ['2130706433']],
    ['a public address in another spelling', ['0x08080808']],
    ['many public addresses and one of the cloud', [...Array(9).fill(PUBLIC_ADDRESS), '169.254.169.254']],
  ])('refuses a name that resolves to %s', async (_what, addresses) => {
    const receiver = await aReceiver();
    const url = `https://name.example.com:${receiver.port}/secret-path`;
    const refused = { kind: 'refused_address', reason: 'must not resolve to a private or reserved address' };
    for (const allowLoopback of [false, true])
      expect(await send({ url }, { allowLoopback, lookup: resolvingTo(...addresses) })).toEqual(refused);
    expect(receiver.connections()).toBe(0);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'refuses %s without a lookup unless loopback is allowed',
    async (host) => {
      const receiver = await aReceiver();
      const options = { allowLoopback: false, lookup: failing('looked up') };
      for (const scheme of ['http', 'https'])
        expect((await send({ url: `${scheme}://${host}:${receiver.port}/` }, options)).kind).toBe('refused_address');
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

describe('sendCallback to a receiver that misbehaves', () => {
  /** Long enough for a busy machine to connect and to read the available bytes. */
  const BOUND_MS = 1_000;
  /** Far below the default limit of 10 s, yet long enough for a busy machine. */
  const SOON_MS = 6_000;
  /** A time limit for the connection, and a bound far below the default limit of 3 s. */
  const CONNECT_MS = 300;
  const CONNECT_SOON_MS = 2_900;

  /** Sends a callback, and expects its outcome in time. */
  async function outcomeWithin(ms: number, ...sent: Parameters<typeof send>) {
    const startedAt = performance.now();
    const outcome = await send(...sent);
    expect(performance.now() - startedAt).toBeLessThan(ms);
    return outcome;
  }

  const none = { kind: 'failed', reason: 'no answer in time' };
  const slowly = (beginning: string, more: string) => (socket: Socket) => {
    socket.write(beginning);
    trickle(socket, more);
  };
  it.each<[string, object, (socket: Socket) => unknown]>([
    ['fails if the receiver stays silent after it has accepted the connection', none, () => undefined],
    ['fails if a header trickles in', none, slowly('HTTP/1.1 200 OK\r\nx-slow: ', 'a')],
    ['fails if the receiver sends endless interim answers', none, slowly('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    [
      'returns the status that had arrived if the body trickles in',
      { kind: 'answered', status: 202 },
      slowly('HTTP/1.1 202 Accepted\r\ncontent-length: 60000\r\n\r\n', 'a'),
    ],
  ])('%s, and ends in time', async (_, expected, act) => {
    const receiver = await serveRaw(act);
    const limits = { connectTimeoutMs: BOUND_MS, totalTimeoutMs: BOUND_MS };
    expect(await outcomeWithin(SOON_MS, { url: receiver.url }, limits)).toEqual(expected);
    await receiver.allClosed();
  });

  it('ends in time if DNS does not answer', async () => {
    const limits = { connectTimeoutMs: CONNECT_MS, lookup: () => new Promise<never>(() => {}) };
    expect(await outcomeWithin(CONNECT_SOON_MS, { url: 'https://slow.example.com/' }, limits)).toEqual({
      kind: 'failed',
      reason: 'name not resolved within 300 ms',
    });
  });

  it('ends in time if the receiver does not start TLS', async () => {
    const receiver = await serveRaw(() => undefined);
    const url = receiver.url.replace('http:', 'https:');
    const limits = { connectTimeoutMs: CONNECT_MS, totalTimeoutMs: 60_000 };
    const outcome = await outcomeWithin(CONNECT_SOON_MS, { url }, limits);
    expect(outcome).toEqual({ kind: 'failed', reason: 'no connection in time' });
  });

  it('allows more time for the answer than for the connection', async () => {
    const receiver = await aReceiver((_request, response) => setTimeout(() => response.end(), 2 * BOUND_MS));
    const outcome = await send({ url: receiver.url }, { connectTimeoutMs: BOUND_MS });
    expect(outcome).toEqual({ kind: 'answered', status: 200 });
  });

  it('closes the connection on a huge body, and returns the status', async () => {
    let sent = 0;
    const receiver = await serveRaw((socket) => {
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
    const outcome = await outcomeWithin(SOON_MS, { url: receiver.url }, { totalTimeoutMs: 60_000 });
    expect(outcome).toEqual({ kind: 'answered', status: 200 });
    await receiver.allClosed();
    // More than socket buffers hold, but not an endless stream.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['hangs up', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
    ['does not speak HTTP', (socket) => socket.end('secret-answer\r\n\r\n')],
    ['sends endless headers', (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'secret-answer'.repeat(9999)}\r\n\r\n`)],
  ])('fails without revealing the answer if the receiver %s', async (_what, act) => {
    const receiver = await serveRaw(act);
    const outcome = await send({ url: `${receiver.url}/secret-path?secret-key` });
    expect(outcome).toEqual({ kind: 'failed', reason: expect.stringMatching(/^[A-Z_]+$/) });
  });

  it.each([
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      101,
    ],
    ['breaks off within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', 200],
  ])('returns the status if the receiver %s', async (_what, text, status) => {
    const receiver = await serveRaw((socket) => (status === 101 ? socket.write(text) : socket.end(text)));
    expect(await send({ url: receiver.url })).toEqual({ kind: 'answered', status });
    await receiver.allClosed();
  });

  it('reports a refused connection by its code, without path and query', async () => {
    const receiver = await aReceiver();
    await receiver.close();
    const outcome = await send({ url: `${receiver.url}/secret-path?secret-key` });
    expect(outcome).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
  });

  it('reports a name that cannot be resolved, without showing it', async () => {
    const url = 'https://nowhere.example.com/secret-path';
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.example.com'), { code: 'ENOTFOUND' });
    const failed = (reason: string) => ({ kind: 'failed', reason });
    expect(await send({ url }, { lookup: () => Promise.reject(unknown) })).toEqual(
      failed('name not resolved (ENOTFOUND)'),
    );
    const broken = () => Promise.reject(new Error('nowhere.example.com'));
    expect(await send({ url }, { lookup: broken })).toEqual(failed('name not resolved (unknown error)'));
    expect(await send({ url }, { lookup: resolvingTo() })).toEqual(failed('name has no address'));
  });
});

describe('sendCallback', () => {
  it.each([
    ['120', 120],
    ['0', 0],
    ['Fri, 02 Jan 2026 03:01:30 GMT', 90],
    ['Fri, 02 Jan 2026 02:00:00 GMT', 0],
    ...['soon', '-5', '1.5', '1e9', '9999999999', '2026-01-02T03:01:30Z'].map((text) => [text, undefined] as const),
  ] as const)('reads Retry-After %p as %p seconds', async (header, retryAfterSeconds) => {
    const { url } = await aReceiver((_request, response) => response.writeHead(503, { 'retry-after': header }).end());
    const outcome = await send({ url, timestamp: new Date('2026-01-02T03:00:00Z') });
    expect(outcome).toStrictEqual({
      kind: 'answered',
      status: 503,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  });
});
