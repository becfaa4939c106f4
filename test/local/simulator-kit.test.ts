import { connect } from 'node:net';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { controlClient } from '../../local/simulators/kit/control-client.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { untilNoError } from '../support/runner/until-no-error.ts';
import { startCrmB } from './support/crm-b.ts';

const { begin, control, end, send, simulator } = await startCrmB();

// The kit serves every simulator. This file tests it with CRM-B; the contract suites test each kind of fault, its
// number of repetitions, and the list of requests.
const reading = 'GET /crm/v8/Leads/{id}';
const writing = 'POST /crm/v8/Leads/{id}/Notes';
let lead = '';

const read = (request: { signal?: AbortSignal; accessToken?: string } = {}) => send('GET', `/Leads/${lead}`, request);
const write = () => send('POST', `/Leads/${lead}/Notes`, { body: { data: [{ Note_Content: 'x' }], trigger: [] } });
const statusOf = async (answer: Promise<Response>) => (await answer).status;
const untilUnderWay = (count: number) =>
  untilNoError(async () => expect(await control.mostInFlight()).toBeGreaterThanOrEqual(count));
/** Makes a token of a user in another organization. */
const elsewhere = async () => {
  await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
  return control.grant({ clientId: defaultClient.id, scopes: ['ZohoCRM.modules.ALL'], user: '777' });
};

beforeEach(async () => {
  await begin();
  lead = await control.createLead({ Last_Name: 'Iyer' });
});

afterEach(closeServers);
afterAll(end);

describe('a fault', () => {
  test('affects only its route, or every route with *', async () => {
    await control.fault({ route: writing, kind: 'server-error' });
    expect([await statusOf(read()), await statusOf(write())]).toEqual([200, 500]);
    await control.fault({ route: '*', kind: 'server-error', times: 2 });
    expect([await statusOf(read()), await statusOf(write()), await statusOf(read())]).toEqual([500, 500, 200]);
  });

  test('can let requests pass first, and affects all later ones until it is cleared', async () => {
    await control.fault({ route: reading, kind: 'server-error', skip: 1, times: null });
    expect([await statusOf(read()), await statusOf(read()), await statusOf(read())]).toEqual([200, 500, 500]);
    expect(await control.faults()).toMatchObject([{ kind: 'server-error', affected: 2 }]);
    await control.clearFaults();
    expect(await statusOf(read())).toBe(200);
  });

  test('is not used up by a request that the token or a limit refuses', async () => {
    await control.fault({ route: reading, kind: 'server-error' });
    expect(await statusOf(fetch(`${simulator.url}/crm/v8/Leads/${lead}`))).toBe(401);
    await control.settings({ concurrency: 0 });
    expect(await statusOf(read())).toBe(429);
    await control.settings({ concurrency: 10 });
    expect(await statusOf(read())).toBe(500);
  });

  test('can delay the usual answer', async () => {
    await control.settings({ speed: 1000 });
    await control.fault({ route: writing, kind: 'slow', seconds: 60 });
    expect(await statusOf(write())).toBe(201);
  });

  test('can replace the answer with any OAuth error or with the throttle', async () => {
    const route = 'POST /oauth/v2/token';
    const refresh = async () => (await fetch(`${simulator.accountsUrl}/oauth/v2/token`, { method: 'POST' })).json();
    await control.fault({ route, kind: 'oauth-error', error: 'invalid_client_secret' });
    await control.fault({ route, kind: 'access-denied', status: 400 });
    expect(await refresh()).toEqual({ error: 'invalid_client_secret' });
    expect(await refresh()).toMatchObject({ error: 'Access Denied', status: 'failure' });
  });
});

describe('requests under way', () => {
  test('are limited to 10 per app, until one of them has ended', async () => {
    await control.fault({ route: reading, kind: 'hang', times: 10 });
    const clients = Array.from({ length: 10 }, () => new AbortController());
    const hanging = clients.map(({ signal }) => read({ signal }).catch(() => undefined));
    await untilUnderWay(10);
    const refused = await read();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 'error' });
    clients[0]?.abort();
    await untilNoError(async () => expect(await statusOf(read())).toBe(200));
    for (const client of clients) client.abort();
    await Promise.all(hanging);
    expect([await control.mostInFlight(), await control.mostInFlight(writing)]).toEqual([10, 0]);
  });

  test('of COQL have a separate limit', async () => {
    await control.settings({ subConcurrency: 0 });
    expect(await statusOf(read())).toBe(200);
    const body = { select_query: 'select id from Leads where id is not null' };
    expect(await statusOf(send('POST', '/coql', { body }))).toBe(429);
  });

  test('of one organization do not count for another', async () => {
    const { accessToken } = await elsewhere();
    await control.settings({ concurrency: 1 });
    await control.fault({ route: reading, kind: 'hang' });
    const client = new AbortController();
    const hanging = read({ signal: client.signal }).catch(() => undefined);
    await untilUnderWay(1);
    expect([await statusOf(read()), await statusOf(read({ accessToken }))]).toEqual([429, 204]);
    client.abort();
    await hanging;
  });
});

describe('the control routes', () => {
  test('have a time limit for their clients', async () => {
    const silent = await serve(() => undefined);
    const request = controlClient('silent', silent.url, 100)('GET', 'idle');
    await expect(request).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('explain why they refuse', async () => {
    await expect(control.settings({ coqlLimit: -1 })).rejects.toThrow(/coqlLimit/);
    await expect(control.createLead({}, { owner: '1' })).rejects.toThrow(/no user 1/);
    expect((await fetch(`${simulator.url}/_simulator/nothing`)).status).toBe(404);
  });

  test('reset everything except the first clients and users', async () => {
    await control.settings({ concurrency: 1 });
    await write();
    await control.reset();
    for (const list of [control.leads(), control.notes(), control.grants(), control.requests(), control.faults()])
      expect(await list).toEqual([]);
    expect(await control.users()).toHaveLength(2);
    expect(await control.settings({})).toMatchObject({ concurrency: 10, consent: 'page' });
  });
});

test('a stopped simulator ends connections without an answer', async () => {
  const other = await startCrmBSimulator();
  const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  await other.stop();
  await closed;
});
