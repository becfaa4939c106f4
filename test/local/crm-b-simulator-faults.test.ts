import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import type { Fault } from '../../local/simulators/crm-b/faults.ts';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';

const simulator = await startCrmBSimulator();
const control = crmBControl(simulator.url);
const reading = 'GET /crm/v8/Leads/{id}';
const writing = 'POST /crm/v8/Leads/{id}/Notes';
let token = '';
let lead = '';

const authorization = () => ({ authorization: `Zoho-oauthtoken ${token}` });
const read = (id = lead, signal: AbortSignal | null = null) =>
  fetch(`${simulator.url}/crm/v8/Leads/${id}`, { headers: authorization(), signal });
const write = (content = 'x', signal: AbortSignal | null = null) =>
  fetch(`${simulator.url}/crm/v8/Leads/${lead}/Notes`, {
    method: 'POST',
    headers: authorization(),
    body: JSON.stringify({ data: [{ Note_Content: content }], trigger: [] }),
    signal,
  });
const statuses = async (count: number) => {
  const seen: number[] = [];
  for (let each = 0; each < count; each++) seen.push((await read()).status);
  return seen;
};
/** Resolves once the simulator has the request, so that giving up on it is no race. */
const arrived = async (route: string, count = 1) => {
  while ((await control.requests(route)).length < count);
};
const underWay = async (count: number) => {
  while ((await control.mostInFlight()) < count);
};

beforeEach(async () => {
  await control.reset();
  token = (
    await control.grant({
      clientId: defaultClient.id,
      scopes: ['ZohoCRM.modules.ALL', 'ZohoCRM.coql.READ', 'ZohoCRM.notifications.ALL'],
    })
  ).accessToken;
  lead = await control.createLead({ Last_Name: 'Iyer' });
});

afterAll(() => simulator.stop());

describe('a fault', () => {
  test.each<[string, Omit<Fault, 'route'>, number, string]>([
    ['429 with the vendor’s body', { kind: 'too-many-requests' }, 429, '"code":"TOO_MANY_REQUESTS"'],
    ['500', { kind: 'server-error' }, 500, '"code":"INTERNAL_ERROR"'],
    ['503', { kind: 'server-error', status: 503 }, 503, '"code":"INTERNAL_ERROR"'],
    ['HTML', { kind: 'html' }, 502, '<html>'],
    ['HTML on a 200', { kind: 'html', status: 200 }, 200, '<html>'],
    ['an invalid token', { kind: 'invalid-token' }, 401, '"code":"INVALID_TOKEN"'],
  ])('answers %s once, and nothing is written', async (_, fault, status, text) => {
    await control.fault({ route: writing, ...fault });
    const answer = await write();
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(text);
    expect(await control.notes(lead)).toEqual([]);
    expect((await write()).status).toBe(201);
  });

  test('befalls its route alone', async () => {
    await control.fault({ route: writing, kind: 'server-error' });
    expect((await read()).status).toBe(200);
    expect((await write()).status).toBe(500);
  });

  test('befalls every route by *', async () => {
    await control.fault({ route: '*', kind: 'server-error', times: 2 });
    expect((await read()).status).toBe(500);
    expect((await write()).status).toBe(500);
    expect((await read()).status).toBe(200);
  });

  test('lets some requests pass first', async () => {
    await control.fault({ route: reading, kind: 'server-error', skip: 2 });
    expect(await statuses(4)).toEqual([200, 200, 500, 200]);
  });

  test('befalls as many as told, or all until it is cleared', async () => {
    await control.fault({ route: reading, kind: 'server-error', times: 2 });
    expect(await statuses(3)).toEqual([500, 500, 200]);
    await control.fault({ route: reading, kind: 'server-error', times: null });
    expect(await statuses(3)).toEqual([500, 500, 500]);
    await control.clearFaults();
    expect(await statuses(1)).toEqual([200]);
  });

  test('can wait for one lead', async () => {
    const other = await control.createLead({ Last_Name: 'Other' });
    await control.fault({ route: reading, kind: 'server-error', containing: other });
    expect((await read()).status).toBe(200);
    expect((await read(other)).status).toBe(500);
  });

  test('is not used up by a request that the token or a limit refuses', async () => {
    await control.fault({ route: reading, kind: 'server-error' });
    const refused = await fetch(`${simulator.url}/crm/v8/Leads/${lead}`);
    expect(refused.status).toBe(401);
    await control.settings({ concurrency: 0 });
    expect((await read()).status).toBe(429);
    await control.settings({ concurrency: 10 });
    expect((await read()).status).toBe(500);
  });

  test('is told with the request, and counted', async () => {
    await control.fault({ route: reading, kind: 'server-error' });
    await read();
    expect(await control.requests(reading)).toMatchObject([{ fault: 'server-error', answer: 500 }]);
    expect(await control.faults()).toMatchObject([{ kind: 'server-error', befell: 1 }]);
  });

  test('drops the connection before the work', async () => {
    await control.fault({ route: writing, kind: 'drop' });
    await expect(write()).rejects.toThrow();
    expect(await control.notes(lead)).toEqual([]);
  });

  test('drops the connection after the work', async () => {
    await control.fault({ route: writing, kind: 'drop-after' });
    await expect(write()).rejects.toThrow();
    expect(await control.notes(lead)).toHaveLength(1);
    expect(await control.requests(writing)).toMatchObject([{ answer: 'dropped', fault: 'drop-after' }]);
  });

  test('cuts the answer in half after the work', async () => {
    await control.fault({ route: writing, kind: 'cut-after' });
    const answer = await write();
    expect(answer.status).toBe(201);
    await expect(answer.text()).rejects.toThrow();
    expect(await control.notes(lead)).toHaveLength(1);
  });

  test.each([
    [writing, 'data', () => write()],
    [
      'POST /crm/v8/actions/watch',
      'watch',
      () => fetch(`${simulator.url}/crm/v8/actions/watch`, { method: 'POST', headers: authorization(), body: '{}' }),
    ],
  ])('lets the one item of %s fail on a 2xx, within %s', async (route, wrapper, ask) => {
    await control.fault({ route, kind: 'item-error', error: 'LIMIT_REACHED' });
    const answer = await ask();
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ [wrapper]: [{ code: 'LIMIT_REACHED', status: 'error' }] });
    expect(await control.notes(lead)).toEqual([]);
  });

  test('answers 500 after the work', async () => {
    await control.fault({ route: writing, kind: 'server-error-after' });
    expect((await write()).status).toBe(500);
    expect(await control.notes(lead)).toHaveLength(1);
  });

  test.each([
    ['hang', 0],
    ['hang-after', 1],
  ] as const)('by %s never answers, with %i written', async (kind, count) => {
    await control.fault({ route: writing, kind });
    const giveUp = new AbortController();
    const answer = write('x', giveUp.signal);
    await arrived(writing);
    giveUp.abort();
    await expect(answer).rejects.toThrow();
    expect(await control.notes(lead)).toHaveLength(count);
  });

  test('answers slowly, as usual', async () => {
    await control.settings({ speed: 1000 });
    await control.fault({ route: writing, kind: 'slow', seconds: 60 });
    expect((await write()).status).toBe(201);
  });
});

describe('the places of an app', () => {
  test('are 10 at once: the eleventh gets 429 and the next after one has gone gets through', async () => {
    await control.fault({ route: reading, kind: 'hang', times: 10 });
    const giveUp = Array.from({ length: 10 }, () => new AbortController());
    const hanging = giveUp.map(({ signal }) => read(lead, signal).catch(() => undefined));
    await underWay(10);
    const refused = await read();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 'error' });
    giveUp[0]?.abort();
    let status = 429;
    while (status === 429) status = (await read()).status;
    expect(status).toBe(200);
    for (const each of giveUp) each.abort();
    await Promise.all(hanging);
    expect(await control.mostInFlight()).toBe(10);
    expect(await control.mostInFlight(reading)).toBe(10);
    expect(await control.mostInFlight(writing)).toBe(0);
  });

  test('are another number on demand, and fewer for COQL', async () => {
    await control.settings({ concurrency: 0 });
    expect((await read()).status).toBe(429);
    await control.settings({ concurrency: 10, subConcurrency: 0 });
    expect((await read()).status).toBe(200);
    const answer = await fetch(`${simulator.url}/crm/v8/coql`, {
      method: 'POST',
      headers: authorization(),
      body: JSON.stringify({ select_query: 'select id from Leads where id is not null' }),
    });
    expect(answer.status).toBe(429);
  });

  test('of one org are not those of another', async () => {
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    const theirs = await control.grant({ clientId: defaultClient.id, scopes: ['ZohoCRM.modules.ALL'], user: '777' });
    await control.settings({ concurrency: 1 });
    await control.fault({ route: reading, kind: 'hang' });
    const giveUp = new AbortController();
    const hanging = read(lead, giveUp.signal).catch(() => undefined);
    await underWay(1);
    expect((await read()).status).toBe(429);
    token = theirs.accessToken;
    expect((await read()).status).toBe(204);
    giveUp.abort();
    await hanging;
  });
});
