import { untilNoError } from '../support/runner/until-no-error.ts';
import { answerOf, startCrmB } from './support/crm-b.ts';
import { startProgram } from './support/programs.ts';

const { ask, begin, control, end, send, simulator, tokenWith } = await startCrmB();

const asha = { name: 'Asha Rao', id: '554000000000101', email: 'asha@example.com' };
const vikramId = '554000000000102';
let token = '';
let lead = '';

const get = (path: string) => ask('GET', path);
const call = (changes = {}) => ({
  Subject: 'Call to +919812345678',
  Call_Type: 'Outbound',
  Call_Start_Time: '2026-01-05T10:30:00+05:30',
  Call_Duration: '00:03',
  What_Id: lead,
  $se_module: 'Leads',
  ...changes,
});
const writeCalls = (...data: unknown[]) => ask('POST', '/Calls', { body: { data, trigger: [] } });
const writeNotes = (...data: unknown[]) => ask('POST', `/Leads/${lead}/Notes`, { body: { data, trigger: [] } });
const errorOf = (code: string, details: unknown) => ({ code, details, message: expect.any(String), status: 'error' });
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);

beforeEach(async () => {
  token = await begin();
  lead = await control.createLead({ First_Name: 'Meera', Last_Name: 'Iyer', Mobile: '+919812345678' });
});

afterAll(end);

describe('a lead', () => {
  test('has the vendor’s form: id as a string, people as objects, times with an offset, null for empty fields', async () => {
    const { status, body } = await get(`/Leads/${lead}`);
    expect([status, Object.keys(body), body.data.length]).toEqual([200, ['data'], 1]);
    expect(body.data[0]).toMatchObject({
      id: expect.stringMatching(/^\d{15}$/),
      Owner: asha,
      Created_By: asha,
      Full_Name: 'Meera Iyer',
      Mobile: '+919812345678',
      Phone: null,
      Secondary_Phone: null,
      Lead_Status: null,
      Created_Time: isoTime,
      Modified_Time: isoTime,
    });
    expect(await control.leads()).toEqual(body.data);
    await control.settings({ offset: '-08:00' });
    expect((await get(`/Leads/${lead}`)).body.data[0].Created_Time).toMatch(/-08:00$/);
  });

  test('is 204 without a body if it does not exist or belongs to another organization', async () => {
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    const theirs = await control.createLead({ Last_Name: 'Theirs' }, { org: 'other' });
    for (const id of ['554000000999999', theirs]) expect(await get(`/Leads/${id}`)).toEqual({ status: 204, body: '' });
  });
});

describe('the API', () => {
  const fieldsOver50 = Array(51).fill('City').join(',');
  test.each<[string, string, number, string, object]>([
    ['an unknown path', '/Leads/1/2/3', 404, 'INVALID_URL_PATTERN', {}],
    ['an unknown module', '/Leadz/1', 400, 'INVALID_MODULE', {}],
    ['another method', '/Calls', 400, 'INVALID_REQUEST_METHOD', {}],
    ['an id that is not a number', '/Leads/abc', 400, 'INVALID_DATA', { resource_path_index: 1 }],
    ['a list without fields', '/Leads', 400, 'REQUIRED_PARAM_MISSING', { param_name: 'fields' }],
    ['metadata without module', '/settings/fields', 400, 'REQUIRED_PARAM_MISSING', { param_name: 'module' }],
    [
      'more than 50 fields',
      `/Leads?fields=${fieldsOver50}`,
      400,
      'LIMIT_EXCEEDED',
      { param_name: 'fields', limit: 50 },
    ],
    ['more than 200 a page', '/Leads?fields=City&per_page=201', 400, 'INVALID_DATA', { param_name: 'per_page' }],
    ['a page beyond 2000', '/Leads?fields=City&page=11', 400, 'LIMIT_EXCEEDED', { param_name: 'page', limit: 2000 }],
  ])('refuses %s', async (_, path, status, code, details) => {
    expect(await get(path)).toMatchObject({ status, body: { code, details, status: 'error' } });
  });

  test('distinguishes a missing token from an unknown one, and accepts it only as Zoho-oauthtoken', async () => {
    const url = `${simulator.url}/crm/v8/Leads/${lead}`;
    for (const response of [await fetch(url), await fetch(`${url}?access_token=${token}`)])
      expect(await answerOf(response)).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_FAILURE' } });
    for (const authorization of [`Bearer ${token}`, 'Zoho-oauthtoken 1000.x.y'])
      expect(await answerOf(await fetch(url, { headers: { authorization } }))).toMatchObject({
        status: 401,
        body: errorOf('INVALID_TOKEN', {}),
      });
  });

  test.each([
    ['GET', '/Leads?fields=Last_Name', 'ZohoCRM.modules.leads.READ'],
    ['POST', '/actions/watch', 'ZohoCRM.notifications.CREATE'],
    ['GET', '/actions/watch', 'ZohoCRM.notifications.READ'],
    ['GET', '/users', 'ZohoCRM.users.ALL'],
    ['GET', '/settings/fields?module=Leads', 'zohocrm.settings.fields.read'],
  ])('opens %s %s with %s', async (method, path, scope) => {
    const body = method === 'POST' ? {} : undefined;
    const open = await send(method, path, { body, accessToken: await tokenWith(scope) });
    expect(open.status).not.toBe(401);
    const closed = await ask(method, path, { body, accessToken: await tokenWith('ZohoCRM.modules.deals.ALL') });
    expect(closed).toMatchObject({ status: 401, body: { code: 'OAUTH_SCOPE_MISMATCH' } });
  });

  test('needs the scope of the lead as well to write a note', async () => {
    const accessToken = await tokenWith('ZohoCRM.modules.notes.CREATE');
    const body = { data: [{ Note_Content: 'x' }] };
    expect((await send('POST', `/Leads/${lead}/Notes`, { body, accessToken })).status).toBe(401);
  });

  test('shows the remaining credits after half is used, and answers 429 without Retry-After when they are used up', async () => {
    const read = () => send('GET', `/Leads/${lead}`);
    const creditsLeft = async () => (await read()).headers.get('x-api-credits-remaining');
    await control.settings({ credits: 2, latencyMilliseconds: 5 });
    expect([await creditsLeft(), await creditsLeft()]).toEqual(['1', '0']);
    const refused = await read();
    expect(refused.headers.has('retry-after')).toBe(false);
    expect(await answerOf(refused)).toEqual({ status: 429, body: errorOf('TOO_MANY_REQUESTS', {}) });
    await control.settings({ credits: 10 });
    expect(await creditsLeft()).toBeNull();
  });
});

describe('a list of leads', () => {
  test('has the requested fields, in pages', async () => {
    await control.putLeads([{ fields: { Last_Name: 'B' } }, { fields: { Last_Name: 'C' } }]);
    const page = async (number: number) => (await get(`/Leads?fields=Last_Name&per_page=2&page=${number}`)).body;
    expect(await page(1)).toEqual({
      data: [
        { id: lead, Last_Name: 'Iyer' },
        { id: expect.any(String), Last_Name: 'B' },
      ],
      info: { per_page: 2, count: 2, page: 1, more_records: true },
    });
    expect((await page(2)).info).toEqual({ per_page: 2, count: 1, page: 2, more_records: false });
    expect(await page(3)).toBe('');
  });
});

describe('a written call', () => {
  test('is answered with its receipt, and appears among the closed calls of its lead', async () => {
    const { status, body } = await writeCalls(call({ What_Id: { id: lead } }));
    const id = expect.stringMatching(/^\d{15}$/);
    const by = { name: asha.name, id: asha.id };
    const times = { Created_Time: isoTime, Modified_Time: isoTime };
    const details = { id, ...times, Created_By: by, Modified_By: by, $approval_state: 'approved' };
    const data = [{ code: 'SUCCESS', details, message: 'record added', status: 'success' }];
    expect([status, body]).toEqual([201, { data }]);
    // Zoho CRM v8, "Modules Metadata": Calls is "Open Calls" of a lead, Calls_History "Closed Calls".
    expect((await get(`/Leads/${lead}/Calls_History?fields=Subject`)).body.data).toMatchObject([{ id }]);
    expect((await get(`/Leads/${lead}/Calls?fields=Subject`)).status).toBe(204);
    expect(await control.calls(lead)).toMatchObject([{ request: { route: 'POST /crm/v8/Calls', answer: 201 } }]);
  });

  test.each([
    ['hh:mm', '00:03', 180],
    ['mm:ss', '03:25', 205],
  ] as const)('has a duration in %s', async (callDurationIs, Call_Duration, seconds) => {
    await control.settings({ callDurationIs });
    const { body } = await writeCalls(call({ Call_Duration }));
    const { data } = (await get(`/Calls/${body.data[0].details.id}`)).body;
    expect(data[0].Call_Duration_in_seconds).toBe(seconds);
  });

  test.each([
    ['no type', 'MANDATORY_NOT_FOUND', { Call_Type: undefined }],
    ['no start', 'MANDATORY_NOT_FOUND', { Call_Start_Time: undefined }],
    ['no duration', 'MANDATORY_NOT_FOUND', { Call_Duration: undefined }],
    ['another type', 'INVALID_DATA', { Call_Type: 'Outgoing' }],
    ['a start without offset', 'INVALID_DATA', { Call_Start_Time: '2026-01-05T10:30:00' }],
    ['a start with milliseconds', 'INVALID_DATA', { Call_Start_Time: '2026-01-05T10:30:00.000+05:30' }],
    ['a start in the future', 'INVALID_DATA', { Call_Start_Time: '2999-01-05T10:30:00+05:30' }],
    ['a duration in another form', 'INVALID_DATA', { Call_Duration: '1:5' }],
    ['a duration as a number', 'INVALID_DATA', { Call_Duration: 65 }],
    ['a duration of 00:00', 'DEPENDENT_MISMATCH', { Call_Duration: '00:00' }],
    ['a contact', 'INVALID_DATA', { Who_Id: '554000000100001' }],
  ])('is refused with %s', async (_, code, changes) => {
    const [api_name] = Object.keys(changes);
    const details = expect.objectContaining({ api_name, json_path: `$.data[0].${api_name}` });
    expect(await writeCalls(call(changes))).toEqual({ status: 202, body: { data: [errorOf(code, details)] } });
    expect(await control.calls()).toEqual([]);
  });

  test('may have a duration of 00:00 if it was missed', async () => {
    expect((await writeCalls(call({ Call_Type: 'Missed', Call_Duration: '00:00' }))).status).toBe(201);
  });

  test('without $se_module has no lead, or is refused', async () => {
    const incomplete = call({ $se_module: undefined });
    expect((await writeCalls(incomplete)).status).toBe(201);
    expect([(await control.calls()).length, (await control.calls(lead)).length]).toEqual([1, 0]);
    await control.settings({ missingSeModule: 'refuse' });
    const place = { api_name: '$se_module', json_path: '$.data[0].$se_module' };
    expect((await writeCalls(incomplete)).body.data).toEqual([errorOf('MANDATORY_NOT_FOUND', place)]);
  });

  test('is written again when its request is repeated, and with 207 beside a failing one', async () => {
    await writeCalls(call());
    const { status, body } = await writeCalls(call(), call({ Call_Type: undefined }));
    expect([status, body.data]).toMatchObject([207, [{ code: 'SUCCESS' }, { code: 'MANDATORY_NOT_FOUND' }]]);
    expect(await control.calls(lead)).toHaveLength(2);
  });

  test.each([
    ['no data', {}, 'MANDATORY_NOT_FOUND'],
    ['data that is not a list', { data: {} }, 'INVALID_DATA'],
    ['an empty list', { data: [] }, 'INVALID_DATA'],
    ['more than 100', { data: Array(101).fill({}) }, 'LIMIT_EXCEEDED'],
    ['an unknown trigger', { data: [{}], trigger: ['all'] }, 'INVALID_DATA'],
    ['a body that is not JSON', 'x', 'INVALID_REQUEST'],
  ])('is refused with 400 for %s', async (_, body, code) => {
    expect(await ask('POST', '/Calls', { body })).toMatchObject({ status: 400, body: { code } });
  });
});

describe('a written note', () => {
  test('has a title of at most 120 characters', async () => {
    const details = { maximum_length: 120, api_name: 'Note_Title', json_path: '$.data[0].Note_Title' };
    const withTitle = (length: number) => writeNotes({ Note_Content: 'x', Note_Title: 't'.repeat(length) });
    expect((await withTitle(121)).body.data).toEqual([errorOf('INVALID_DATA', details)]);
    expect((await withTitle(120)).status).toBe(201);
  });

  test.each([
    ['no content', { Note_Title: 't', Note_Content: undefined }, 'MANDATORY_NOT_FOUND'],
    ['a Parent_Id without module', { Parent_Id: { id: '1' } }, 'MANDATORY_NOT_FOUND'],
    ['a Parent_Id without id', { Parent_Id: { module: { api_name: 'Leads' } } }, 'MANDATORY_NOT_FOUND'],
    ['another Parent_Id', { Parent_Id: { module: { api_name: 'Leads' }, id: '1' } }, 'INVALID_DATA'],
  ])('is refused with %s', async (_, changes, code) => {
    expect((await writeNotes({ Note_Content: 'x', ...changes })).body.data).toMatchObject([{ code }]);
  });

  test('updates only Last_Activity_Time of its lead', async () => {
    const [before] = (await get(`/Leads/${lead}`)).body.data;
    await writeNotes({ Note_Content: 'a' });
    expect((await get(`/Leads/${lead}`)).body.data).toEqual([{ ...before, Last_Activity_Time: isoTime }]);
    expect((await get(`/Leads/${lead}/Notes`)).body).toMatchObject({ code: 'REQUIRED_PARAM_MISSING' });
  });
});

describe('metadata', () => {
  test('has the user of the token, all users of the organization, and the organization', async () => {
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    const { users } = (await get('/users?type=CurrentUser')).body;
    expect(users).toMatchObject([{ id: asha.id, full_name: 'Asha Rao', email: asha.email, status: 'active' }]);
    expect((await get('/users')).body.users).toHaveLength(2);
    expect((await get('/org')).body.org).toMatchObject([{ company_name: 'main', time_zone: 'Asia/Kolkata' }]);
  });

  test.each([
    ['Leads', 'Mobile', 'phone'],
    ['Leads', 'Call_Disposition', 'picklist'],
    ['Leads', 'Budget_Band', 'text'],
    ['Calls', 'Created_Time', 'datetime'],
    ['Notes', 'Created_Time', 'datetime'],
  ])('has the fields of %s, such as %s', async (module, api_name, data_type) => {
    await control.createLead({ Last_Name: 'X', Budget_Band: 'A' });
    const { body } = await get(`/settings/fields?module=${module}`);
    expect(body.fields).toEqual(expect.arrayContaining([expect.objectContaining({ api_name, data_type })]));
  });
});

describe('the pages for people', () => {
  const page = async (path: string) => (await fetch(`${simulator.url}${path}`)).text();
  const post = (path: string, fields: Record<string, string>) =>
    fetch(`${simulator.url}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

  test('show a lead with its calls and notes, escaped, and link addresses', async () => {
    await control.editLead(lead, { Company: '<img src=x onerror=alert(1)>' });
    await writeCalls(call());
    await writeNotes({ Note_Content: 'line 1\n<b>line 2</b> at <http://127.0.0.1/r?a=1&b=2>' });
    const html = await page(`/leads/${lead}`);
    for (const text of ['Meera Iyer', 'Asha Rao', 'Call to +919812345678', 'line 1\n&lt;b&gt;line 2&lt;/b&gt;'])
      expect(html).toContain(text);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toContain('<img');
    const link = 'http://127.0.0.1/r?a=1&amp;b=2';
    expect(html).toContain(`&lt;<a href="${link}" rel="noreferrer">${link}</a>&gt;`);
    expect((await fetch(`${simulator.url}/leads/1`)).status).toBe(404);
  });

  test('create and change leads by forms, in which an empty input clears its field', async () => {
    const created = await post('/leads', { First_Name: 'Ravi', Last_Name: 'K', Mobile: '+9198', owner: vikramId });
    expect(created.status).toBe(303);
    const path = created.headers.get('location') ?? '';
    expect(await page('/leads')).toContain(path);
    await post(path, { Last_Name: 'K', City: 'Pune', owner: asha.id });
    const [record] = (await get(path.replace('/leads', '/Leads'))).body.data;
    expect(record).toMatchObject({ Full_Name: 'K', First_Name: null, City: 'Pune', Owner: { id: asha.id } });
  });
});

test('main.ts runs it as a process and prints both addresses', async () => {
  const clients = JSON.stringify([{ id: '1000.M', secret: 's' }]);
  const { child, printed, ended } = startProgram(['local/simulators/crm-b/main.ts'], { CLIENTS: clients });
  const { url, accountsUrl } = await untilNoError(() => JSON.parse(printed.out));
  expect((await fetch(`${url}/leads`)).status).toBe(200);
  const query = 'client_id=1000.M&client_secret=s&grant_type=x';
  const answer = await fetch(`${accountsUrl}/oauth/v2/token?${query}`, { method: 'POST' });
  expect(await answer.json()).toEqual({ error: 'invalid_request' });
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
