import { type ChildProcess, spawn } from 'node:child_process';
import http from 'node:http';
import { type Front, startFront } from '../../local/front.ts';
import { simulatorApp } from '../../local/simulators/kit/app.ts';
import { type Served, serve } from '../../local/simulators/kit/serving.ts';
import { ask, link, pageRequests } from './support/page.ts';
import { close, listen } from './support/servers.ts';

let front: Front;
const servers: http.Server[] = [];
const startServer = async (name: string): Promise<URL> => {
  const server = http.createServer(({ method, url, headers }, response) =>
    response.writeHead(418).end(`${name} ${method} ${url} ${headers.host} ${headers['x-forwarded-proto']}`),
  );
  servers.push(server);
  return new URL(await listen(server));
};
let api: URL;
beforeAll(async () => {
  front = await startFront(0);
  api = new URL('/stage', await startServer('api'));
  front.targets = { api, site: { url: await startServer('site'), host: 'd1.cloudfront.net' } };
});
afterAll(async () => {
  await front.stop();
  await Promise.all(servers.map(close));
});

describe('the one address of the local cloud', () => {
  it.each([
    ['GET', '/v1/calls/1?a=1', 'api GET /stage/v1/calls/1?a=1'],
    ['POST', '/api/dashboard/session', 'api POST /stage/api/dashboard/session'],
    ['DELETE', '/v1', 'api DELETE /stage/v1'],
  ])('sends %s %s to the API', async (method, path, expected) => {
    const answer = await fetch(`${front.url}${path}`, { method });
    expect([answer.status, await answer.text()]).toEqual([418, `${expected} ${api.host} http`]);
  });

  it.each(['/', '/?connected=conn_1', '/calls/call_1', '/index.html', '/apis', '/v10', '//'])(
    "sends %s to the dashboard's pages, with the headers of a browser on https",
    async (path) => {
      const answer = await fetch(`${front.url}${path}`);
      expect([answer.status, await answer.text()]).toEqual([418, `site GET ${path} d1.cloudfront.net https`]);
    },
  );

  it('redirects browsers from localhost to the address that the session knows', async () => {
    const { port } = new URL(front.url);
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port, path: '/calls?a=1', headers: { host: `localhost:${port}` } }, resolve)
        .once('error', reject);
    });
    answer.resume();
    expect([answer.statusCode, answer.headers.location]).toEqual([307, `${front.url}/calls?a=1`]);
  });
});

describe('a request whose address and headers are too large', () => {
  it('is refused with 431, as by API Gateway, and reaches neither the API nor the pages', async () => {
    const allowed = await fetch(`${front.url}/v1/calls?next=${'a'.repeat(9_000)}`);
    expect([allowed.status, (await allowed.text()).slice(0, 12)]).toEqual([418, 'api GET /sta']);
    const refused = await fetch(`${front.url}/v1/calls?next=${'a'.repeat(10_240)}`);
    expect([refused.status, await refused.text()]).toEqual([431, '']);
  });
});

describe('npm run dashboard, which serves the pages from their sources', () => {
  let vite: ChildProcess;
  let url: string;
  let answered = 0;
  beforeAll(async () => {
    const { port } = new URL(front.url);
    const args = ['node_modules/vite/bin/vite.js', 'dashboard', '--port', '0'];
    const env = { ...process.env, PORT: port, NODE_OPTIONS: '', NO_COLOR: '1' };
    const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    vite = started;
    // Keeps reading after the address, because Vite ends if it cannot write its later output.
    url = await new Promise((resolve, reject) => {
      let output = '';
      started.stdout.on('data', (chunk) => {
        output += chunk;
        const [, address] = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(output) ?? [];
        if (address) resolve(address);
      });
      started.once('exit', () => reject(new Error(`Vite ended: ${output}`)));
    });
    for (const server of servers) server.on('request', () => (answered += 1));
  });
  afterAll(() => vite.kill());

  it.each(['127.0.0.1', 'localhost'])('lets its pages at %s use the API', async (name) => {
    const host = `${name}:${new URL(url).port}`;
    const headers = { host, origin: `http://${host}`, 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' };
    const answer = await ask(`${url}/api/dashboard/session`, { method: 'POST', headers });
    expect(answer).toEqual({ status: 418, text: `api POST /stage/api/dashboard/session ${api.host} http` });
  });

  const paths = ['/api/dashboard/session', '/v1/calls/outbound'];
  const isSocket = ([, , { headers }]: (typeof pageRequests)[number]) => 'upgrade' in (headers ?? {});

  it.each(pageRequests.filter((one) => !isSocket(one)))(
    'lets no page of another origin use the API %s',
    async (_what, _status, options) => {
      answered = 0;
      // Vite itself refuses some foreign hosts, with 403.
      for (const path of paths) expect([403, 421]).toContain((await ask(`${url}${path}`, options)).status);
      expect(answered).toBe(0);
    },
  );

  it.each(pageRequests.filter(isSocket))('passes no request on %s', async (_what, _status, options) => {
    answered = 0;
    const unanswered = paths.map((path) => ask(`${url}${path}`, { ...options, signal: AbortSignal.timeout(1_000) }));
    for (const one of await Promise.allSettled(unanswered)) expect(one.status).toBe('rejected');
    expect(answered).toBe(0);
  });
});

describe('the connection to the API', () => {
  it('is new for each request, because the emulator may be closing an idle one', async () => {
    const connections = new Set<unknown>();
    let requests = 0;
    servers[0]?.on('request', ({ socket }) => {
      requests += 1;
      connections.add(socket);
    });
    for (let times = 0; times < 3; times += 1) await (await fetch(`${front.url}/v1`)).text();
    expect(requests).toBe(3);
    expect(connections.size).toBe(3);
  });
});

describe('an open web page', () => {
  let simulator: Served;
  let answered = 0;
  beforeAll(async () => {
    const app = simulatorApp(
      () => undefined,
      () => ({ status: 500 }),
    );
    app.all('*', (context) => {
      answered += 1;
      return context.text('done', 418);
    });
    simulator = await serve(app);
    for (const server of servers) server.on('request', () => (answered += 1));
  });
  afterAll(() => simulator.stop());
  const paths = () => [front.url, `${front.url}/v1/calls/outbound`, simulator.url, `${simulator.url}/control/calls`];

  it.each(pageRequests)('reaches neither the service nor a simulator %s', async (_what, status, options) => {
    answered = 0;
    for (const url of paths()) expect((await ask(url, options)).status).toBe(status);
    expect(answered).toBe(0);
  });

  it('may link to the service, and our own pages and programs may send requests', async () => {
    for (const url of paths()) {
      const { origin } = new URL(url);
      const own = { origin, 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' };
      for (const options of [{}, link, { method: 'POST', headers: own }, { headers: { 'sec-fetch-site': 'none' } }])
        expect((await ask(url, options)).status).toBe(418);
    }
  });
});
