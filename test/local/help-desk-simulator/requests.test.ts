import { setTimeout as sleep } from 'node:timers/promises';
import { helpDeskControl } from '../../../local/simulators/help-desk/control.ts';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import { startHelpDeskSimulator } from '../../../local/simulators/help-desk/server.ts';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import { departmentId, errorsOf, fileForm, minimal, orgId, scopes, startHelpDesk } from '../support/help-desk.ts';

const { ask, askAs, begin, control, created, crmB, end, send } = await startHelpDesk();

beforeEach(begin);
afterAll(end);

const FORM = 'application/x-www-form-urlencoded';

it.each<[string, string, string, { body?: string } & Record<string, string>, number, string]>([
  ['a request without token', 'GET', '/tickets/1', { authorization: '' }, 401, 'UNAUTHORIZED'],
  ['another prefix of the token', 'GET', '/tickets/1', { authorization: 'Bearer 1000.a.b' }, 401, 'INVALID_OAUTH'],
  ['a request without organization', 'GET', '/departments', { orgId: '' }, 400, 'BAD_REQUEST'],
  ['an unknown ticket', 'GET', '/tickets/1', {}, 404, 'URL_NOT_FOUND'],
  ['a word in place of an id', 'GET', '/tickets/new', {}, 404, 'URL_NOT_FOUND'],
  ['an unknown path', 'GET', '/nothing', {}, 404, 'URL_NOT_FOUND'],
  ['another method', 'PUT', '/tickets/1', {}, 405, 'METHOD_NOT_ALLOWED'],
  ['a ticket without body', 'POST', '/tickets', { body: '' }, 422, 'EMPTY_PAYLOAD'],
  ['a list in place of a ticket', 'POST', '/tickets', { body: '[]' }, 400, 'BAD_REQUEST'],
  ['half a body', 'POST', '/tickets', { body: '{"subject":' }, 400, 'BAD_REQUEST'],
  ['a form', 'POST', '/tickets', { body: 'subject=x', 'content-type': FORM }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
])('refuses %s: %s %s %j', async (_, method, path, { body, ...headers }, status, errorCode) => {
  expect(await ask(method, path, { headers, body })).toMatchObject({ status, json: { errorCode } });
});

describe('access', () => {
  it('ends at once when the accounts server revokes the token, or when it expires', async () => {
    const token = await askAs(scopes);
    expect((await ask('GET', '/departments')).status).toBe(200);
    await crmB.revoke(token);
    expect(await ask('GET', '/departments')).toMatchObject({ status: 401, json: { errorCode: 'INVALID_OAUTH' } });
    await crmB.settings({ accessTokenSeconds: 0 });
    await askAs(scopes);
    expect((await ask('GET', '/departments')).status).toBe(401);
  });

  it('has scopes under two names', async () => {
    for (const scope of ['HB.basic.READ', 'Desk.basic.READ']) {
      await askAs([scope]);
      expect((await ask('GET', '/departments')).status).toBe(200);
    }
  });

  it.each([
    ['POST', '/tickets', 'tickets.READ'],
    ['POST', '/tickets/1/comments', 'tickets.CREATE'],
    ['POST', '/tickets/1/attachments', 'tickets.CREATE'],
    ['POST', '/tickets/1/associateTag', 'tickets.UPDATE'],
    ['GET', '/tickets/search', 'tickets.READ'],
    ['GET', '/contacts/search', 'contacts.READ'],
  ])('to %s %s needs more than %s', async (method, path, scope) => {
    await askAs([`Desk.${scope}`]);
    expect((await ask(method, path)).json).toMatchObject({ errorCode: 'SCOPE_MISMATCH' });
  });
});

describe('the organization', () => {
  it('may be named in the query, and is not needed in lists of organizations', async () => {
    const headers = { orgId: '' };
    expect((await ask('GET', `/departments?orgId=${orgId}`, { headers })).status).toBe(200);
    expect((await ask('GET', '/organizations', { headers })).json.data).toMatchObject([
      { id: orgId, companyName: defaultOrganization.companyName },
    ]);
  });

  it('must be one that the user may access', async () => {
    const statusIn = async (id: string) => (await ask('GET', '/departments', { headers: { orgId: id } })).status;
    await crmB.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    await control.organization('61', { companyName: 'One', users: ['777'] });
    await control.organization('62', { companyName: 'Two', users: ['777'], isAccessible: false });
    expect([await statusIn('61'), await statusIn(orgId)]).toEqual([403, 200]);
    await askAs(scopes, '777');
    expect([await statusIn('61'), await statusIn('62'), await statusIn(orgId)]).toEqual([200, 403, 403]);
    expect((await ask('GET', '/organizations')).json.data).toMatchObject([{ id: '61' }, { id: '62' }]);
    expect((await ask('GET', '/accessibleOrganizations')).json.data).toMatchObject([{ id: '61' }]);
  });

  it('has its own contacts and tickets', async () => {
    const { id, contactId } = await created();
    await control.organization('61');
    const elsewhere = { headers: { orgId: '61' } };
    expect((await ask('GET', `/tickets/${id}`, elsewhere)).json).toMatchObject({ errorCode: 'URL_NOT_FOUND' });
    expect((await ask('GET', `/contacts/${contactId}`, elsewhere)).status).toBe(404);
    expect((await ask('GET', '/tickets/search', elsewhere)).status).toBe(204);
    expect((await ask('GET', '/search/contacts?searchStr=Iyer', elsewhere)).status).toBe(204);
    const body = { departmentId, contactId, subject: 'x' };
    const refused = await ask('POST', '/tickets', { ...elsewhere, body });
    expect(errorsOf(refused)).toMatchObject([{ fieldName: '/contactId', errorType: 'invalid' }]);
  });

  it('has departments, and a closed one accepts no tickets', async () => {
    await control.organization('61', { departments: [{ id: departmentId, name: 'Support', isEnabled: false }] });
    const headers = { orgId: '61' };
    const refused = await ask('POST', '/tickets', { headers, body: minimal() });
    expect(errorsOf(refused)).toMatchObject([{ fieldName: '/departmentId' }]);
    expect((await ask('GET', '/departments?isEnabled=true', { headers })).status).toBe(204);
  });
});

describe('the limits of an organization', () => {
  const creating = 'POST /api/v1/tickets';

  it('allow 10 requests at once, separately for each organization', async () => {
    await control.fault({ route: creating, kind: 'hang', times: 10 });
    const client = new AbortController();
    const hanging = Array.from({ length: 10 }, () =>
      send('POST', '/tickets', { body: minimal(), signal: client.signal }).catch(() => undefined),
    );
    await untilNoError(async () => expect(await control.mostInFlight()).toBe(10));
    const refused = await ask('POST', '/tickets', { body: minimal() });
    expect(refused).toMatchObject({ status: 429, json: { errorCode: 'TOO_MANY_REQUESTS' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    await control.organization('61');
    expect((await ask('GET', '/departments', { headers: { orgId: '61' } })).status).toBe(200);
    client.abort();
    await Promise.all(hanging);
    expect([await control.mostInFlight(`organization ${orgId}`), await control.mostInFlight(creating)]).toEqual([
      10, 10,
    ]);
    await control.settings({ concurrency: 0, retryAfterSeconds: null });
    expect((await ask('GET', '/departments')).headers.has('retry-after')).toBe(false);
  });

  it('do not count a request whose client left during the check of its token', async () => {
    const client = new AbortController();
    const grants = async () => {
      client.abort();
      await sleep(100);
      return { userId: '1', clientId: '1', scopes };
    };
    const slow = await startHelpDeskSimulator({ grants });
    const { requests, settings } = helpDeskControl(slow.url);
    await settings({ concurrency: 1 });
    const departments = (signal?: AbortSignal) =>
      fetch(`${slow.url}/api/v1/departments`, {
        headers: { authorization: 'Zoho-oauthtoken 1', orgId },
        ...(signal && { signal }),
      });
    try {
      await expect(departments(client.signal)).rejects.toThrow();
      await untilNoError(async () => expect(await requests()).toMatchObject([{ answer: 200 }]), 5);
      expect((await departments()).status).toBe(200);
    } finally {
      await slow.stop();
    }
  });

  it('allow credits for 24 hours, and every answer shows the rest', async () => {
    await control.settings({ credits: 2 });
    const { headers } = await ask('GET', '/departments');
    expect(headers.get('x-rate-limit-request-weight-v3')).toBe('1');
    expect(headers.get('x-rate-limit-remaining-v3')).toBe('1');
    expect((await ask('GET', '/departments')).headers.get('x-rate-limit-remaining-v3')).toBe('0');
    const refused = await ask('GET', '/departments');
    expect(refused).toMatchObject({ status: 429, json: { errorCode: 'THRESHOLD_EXCEEDED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
  });

  it('do not use up a fault when they refuse a request, nor does a wrong scope or organization', async () => {
    await control.fault({ route: creating, kind: 'server-error' });
    await control.settings({ concurrency: 0 });
    expect((await ask('POST', '/tickets', { body: minimal() })).status).toBe(429);
    await control.settings({ concurrency: 10 });
    expect((await ask('POST', '/tickets', { headers: { orgId: '1' }, body: {} })).status).toBe(403);
    await askAs(['HB.tickets.READ']);
    expect((await ask('POST', '/tickets', { body: minimal() })).status).toBe(403);
    await askAs(scopes);
    expect((await ask('POST', '/tickets', { body: minimal() })).status).toBe(500);
  });
});

it('a fault can affect only requests with a number, a subject or a file', async () => {
  const { id } = await created();
  for (const containing of ['+919876500000', 'Burning modem', 'a.wav', '+911111111111'])
    await control.fault({ route: '*', kind: 'server-error', containing });
  const create = async (more = {}) => (await ask('POST', '/tickets', { body: minimal(more) })).status;
  expect([await create(), await create({ phone: '+919876500000' })]).toEqual([200, 500]);
  expect(await create({ subject: 'Burning modem' })).toBe(500);
  expect((await ask('POST', `/tickets/${id}/attachments`, { form: fileForm('a.wav') })).status).toBe(500);
  expect((await ask('GET', '/search/contacts?searchStr=%2B911111111111')).status).toBe(500);
});

describe('the control', () => {
  it('lists exactly the tickets that meet every condition', async () => {
    await control.organization('61', { departments: [{ id: departmentId, name: 'Support', isEnabled: true }] });
    const one = await created({ phone: '+919876500001' });
    const two = await created({ phone: '+919876500002' });
    const elsewhere = await ask('POST', '/tickets', {
      headers: { orgId: '61' },
      body: minimal({ phone: '+919876500001' }),
    });
    expect(elsewhere.status).toBe(200);
    const idsOf = async (where: Parameters<typeof control.listTickets>[0]) =>
      (await control.listTickets(where)).map(({ id }) => id);
    const ids = [one.id, two.id, elsewhere.json.id];
    expect(await idsOf({})).toEqual(ids);
    expect(await idsOf({ phone: '+919876500001' })).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ orgId: '61' })).toEqual([ids[2]]);
    expect(await idsOf({ phone: '+919876500001', orgId })).toEqual([ids[0]]);
    expect(await idsOf({ contactId: two.contactId })).toContain(ids[1]);
    expect(await idsOf({ contactId: two.contactId, phone: '+919876500001', orgId: '61' })).toEqual([]);
    expect(await idsOf({ phone: '+910000000000' })).toEqual([]);
    expect((await control.ticket(two.id))?.phone).toBe('+919876500002');
    expect(await control.ticket('1')).toBeUndefined();
  });

  it('lists the requests of a route, and reports whether a record existed', async () => {
    const { id, contactId } = await created();
    await ask('GET', '/departments');
    const creating = (await control.requests()).find(({ method }) => method === 'POST')?.route ?? '';
    expect(await control.requests(creating)).toMatchObject([
      { method: 'POST', path: expect.stringMatching(/tickets$/) },
    ]);
    expect(await control.requests('no such route')).toEqual([]);
    expect([await control.deleteTicket(id), await control.deleteTicket(id)]).toEqual([true, false]);
    expect([await control.deleteContact(contactId), await control.deleteContact(contactId)]).toEqual([true, false]);
    await expect(control.changeTicket(id, { status: 'Closed' })).rejects.toThrow('URL_NOT_FOUND');
  });
});
