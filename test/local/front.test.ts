import http from 'node:http';
import { type Front, startFront } from '../../local/front.ts';
import { close, listen } from './support/servers.ts';

const CONNECTION = 'conn_0123456789abcdef01234567';

let front: Front;
let api: http.Server;
beforeAll(async () => {
  api = http.createServer((request, response) => response.writeHead(418).end(`${request.method} ${request.url}`));
  const origin = await listen(api);
  front = await startFront(0);
  front.target = new URL(`${origin}/stage`);
});
afterAll(async () => {
  await front.stop();
  await close(api);
});

const text = async (path: string): Promise<string> => {
  const answer = await fetch(`${front.url}${path}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  return answer.text();
};

describe('the page after a consent', () => {
  it('reports the connection and the state of its watch channel', async () => {
    const connected = await text(`/?connected=${CONNECTION}`);
    expect(connected).toContain(`<h1>Connected: ${CONNECTION}</h1>`);
    expect(connected).toContain(`connection show --connection ${CONNECTION}`);
    expect(await text(`/?connected=${CONNECTION}&channel=failed`)).toContain('could not be set up yet');
    expect(await text(`/?connected=${CONNECTION}&organization=not_chosen`)).toMatch(
      /organization of the help desk is still to be chosen.* connection show --connection/,
    );
  });

  it('explains why the connection failed', async () => {
    expect(await text('/?error=access_denied')).toMatch(/<h1>Not connected<\/h1><p>The consent was denied\./);
    expect(await text('/?error=some_new_code')).toContain('some_new_code');
  });

  it('shows forged query parameters only as text', async () => {
    expect(await text('/?error=%3Cscript%3Ealert(1)%3C/script%3E')).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const madeUp = await text('/?connected=conn_1;rm+-rf+~');
    expect(madeUp).not.toContain('rm -rf');
    expect(madeUp).toContain('<h1>The calling service</h1>');
    expect(await text('/')).toContain('<h1>The calling service</h1>');
  });

  it('is served only at /; all other paths belong to the API', async () => {
    const others = ['/?x', '/v1/calls/1?connected=1', '//', '/index.html'].map(async (path, index) => {
      const answer = await fetch(`${front.url}${path}`, { method: index === 0 ? 'POST' : 'GET' });
      return [answer.status, await answer.text()];
    });
    expect(await Promise.all(others)).toEqual([
      [418, 'POST /stage/?x'],
      [418, 'GET /stage/v1/calls/1?connected=1'],
      [418, 'GET /stage//'],
      [418, 'GET /stage/index.html'],
    ]);
  });
});

describe('the connection to the API', () => {
  it('is new for each request, because the emulator may be closing an idle one', async () => {
    const connections = new Set<unknown>();
    let requests = 0;
    api.on('request', ({ socket }) => {
      requests += 1;
      connections.add(socket);
    });
    for (let times = 0; times < 3; times += 1) await (await fetch(`${front.url}/v1`)).text();
    expect(requests).toBe(3);
    expect(connections.size).toBe(3);
  });
});
