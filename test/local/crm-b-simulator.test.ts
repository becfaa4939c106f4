import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';

const simulator = await startCrmBSimulator();
const control = crmBControl(simulator.url);
const asha = { name: 'Asha Rao', id: '554000000000101', email: 'asha@example.com' };
const vikramId = '554000000000102';
const everything = [
  'ZohoCRM.modules.ALL',
  'ZohoCRM.coql.READ',
  'ZohoCRM.users.READ',
  'ZohoCRM.settings.fields.READ',
  'ZohoCRM.notifications.ALL',
];
let token = '';
let lead = '';

const ask = (path: string, method = 'GET', body?: unknown, accessToken = token) =>
  fetch(`${simulator.url}${path}`, {
    method,
    headers: { authorization: `Zoho-oauthtoken ${accessToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const told = async (answer: Response) => {
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? '' : JSON.parse(text) };
};
const get = async (path: string) => told(await ask(path));
const call = (changes = {}) => ({
  Subject: 'Call to +919812345678',
  Call_Type: 'Outbound',
  Call_Start_Time: '2026-01-05T10:30:00+05:30',
  Call_Duration: '00:03',
  What_Id: lead,
  $se_module: 'Leads',
  ...changes,
});
const writeCalls = async (data: unknown[], more = {}) =>
  told(await ask('/crm/v8/Calls', 'POST', { data, trigger: [], ...more }));
const writeNotes = async (data: unknown[], id = lead) =>
  told(await ask(`/crm/v8/Leads/${id}/Notes`, 'POST', { data, trigger: [] }));
const errorOf = (code: string, details: unknown) => ({ code, details, message: expect.any(String), status: 'error' });
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);

beforeEach(async () => {
  await control.reset();
  token = (await control.grant({ clientId: defaultClient.id, scopes: everything })).accessToken;
  lead = await control.createLead({ First_Name: 'Meera', Last_Name: 'Iyer', Mobile: '+919812345678' });
});

afterAll(() => simulator.stop());

describe('GET /crm/v8/Leads/{id}', () => {
  test('answers data with one record: id as a string, owner with name, id and email, times with the account’s offset', async () => {
    const { status, body } = await get(`/crm/v8/Leads/${lead}`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data']);
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      id: expect.stringMatching(/^\d{15}$/),
      Owner: asha,
      Created_By: asha,
      First_Name: 'Meera',
      Last_Name: 'Iyer',
      Full_Name: 'Meera Iyer',
      Mobile: '+919812345678',
      Created_Time: isoTime,
      Modified_Time: isoTime,
    });
  });

  test('has null where a field is not set', async () => {
    const { body } = await get(`/crm/v8/Leads/${lead}`);
    expect(body.data[0]).toMatchObject({ Phone: null, Secondary_Phone: null, Home_Phone: null, Lead_Status: null });
  });

  test('writes its times in another offset on demand', async () => {
    await control.settings({ offset: '-08:00' });
    expect((await get(`/crm/v8/Leads/${lead}`)).body.data[0].Created_Time).toMatch(/-08:00$/);
  });

  test('answers 204 without a body where there is no such lead', async () => {
    expect(await get('/crm/v8/Leads/554000000999999')).toEqual({ status: 204, body: '' });
  });

  test('answers 400 INVALID_DATA for an id that is no number', async () => {
    expect(await get('/crm/v8/Leads/abc')).toEqual({
      status: 400,
      body: errorOf('INVALID_DATA', { resource_path_index: 1 }),
    });
  });

  test('answers 204 for the lead of another org', async () => {
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    const theirs = await control.createLead({ Last_Name: 'Theirs' }, { org: 'other' });
    expect((await get(`/crm/v8/Leads/${theirs}`)).status).toBe(204);
  });

  test('shows the owner the lead was put with, and a new one after an edit', async () => {
    await control.editLead(lead, {}, { owner: vikramId });
    expect((await get(`/crm/v8/Leads/${lead}`)).body.data[0].Owner.id).toBe(vikramId);
  });

  test('answers 204 after the lead was deleted', async () => {
    await control.deleteLead(lead);
    expect((await get(`/crm/v8/Leads/${lead}`)).status).toBe(204);
  });

  test('keeps an id of 19 digits', async () => {
    const id = await control.createLead({ Last_Name: 'Long' }, { id: '5540000000000001001' });
    expect((await get(`/crm/v8/Leads/${id}`)).body.data[0].id).toBe('5540000000000001001');
  });
});

describe('the API', () => {
  test.each([
    ['a path there is not', '/crm/v8/Leads/1/2/3', 404, 'INVALID_URL_PATTERN'],
    ['a module there is not', '/crm/v8/Leadz/1', 400, 'INVALID_MODULE'],
    ['a method the path does not take', '/crm/v8/Calls', 400, 'INVALID_REQUEST_METHOD'],
  ])('answers %s', async (_, path, status, code) => {
    expect(await get(path)).toMatchObject({ status, body: { code, status: 'error' } });
  });

  test('answers AUTHENTICATION_FAILURE without a token and INVALID_TOKEN with an unknown one', async () => {
    const without = await fetch(`${simulator.url}/crm/v8/Leads/${lead}`);
    expect(await told(without)).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_FAILURE' } });
    const unknown = await ask(`/crm/v8/Leads/${lead}`, 'GET', undefined, '1000.x.y');
    expect(await told(unknown)).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } });
  });

  test.each([
    ['GET', '/crm/v8/Leads/1', 'ZohoCRM.modules.leads.READ'],
    ['GET', '/crm/v8/Leads?fields=Last_Name', 'ZohoCRM.modules.leads.READ'],
    ['POST', '/crm/v8/Calls', 'ZohoCRM.modules.calls.CREATE'],
    ['POST', '/crm/v8/Leads/1/Notes', 'ZohoCRM.modules.notes.CREATE'],
    ['POST', '/crm/v8/coql', 'ZohoCRM.coql.READ'],
    ['POST', '/crm/v8/actions/watch', 'ZohoCRM.notifications.CREATE'],
    ['GET', '/crm/v8/actions/watch', 'ZohoCRM.notifications.READ'],
    ['GET', '/crm/v8/users', 'ZohoCRM.users.READ'],
    ['GET', '/crm/v8/settings/fields?module=Leads', 'ZohoCRM.settings.fields.READ'],
  ])(
    'opens %s %s to %s (and Leads to be read) and answers OAUTH_SCOPE_MISMATCH without',
    async (method, path, scope) => {
      const askWith = async (...scopes: string[]) => {
        const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes });
        return ask(path, method, method === 'POST' ? {} : undefined, accessToken);
      };
      expect((await askWith(scope, 'ZohoCRM.modules.leads.READ')).status).not.toBe(401);
      expect(await told(await askWith('ZohoCRM.modules.deals.ALL'))).toMatchObject({
        status: 401,
        body: { code: 'OAUTH_SCOPE_MISMATCH' },
      });
    },
  );

  test('asks for the scope of the parent too where a note is written', async () => {
    const scopes = ['ZohoCRM.modules.notes.CREATE'];
    const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes });
    const answer = await ask(`/crm/v8/Leads/${lead}/Notes`, 'POST', { data: [{ Note_Content: 'x' }] }, accessToken);
    expect(answer.status).toBe(401);
  });

  test('answers 429 TOO_MANY_REQUESTS without Retry-After when the day’s credits are used up', async () => {
    await control.settings({ credits: 2 });
    for (let count = 0; count < 2; count++) expect((await get(`/crm/v8/Leads/${lead}`)).status).toBe(200);
    const answer = await ask(`/crm/v8/Leads/${lead}`);
    expect(answer.headers.has('retry-after')).toBe(false);
    expect(await told(answer)).toEqual({ status: 429, body: errorOf('TOO_MANY_REQUESTS', {}) });
  });

  test('tells the credits that are left only once half of them are used', async () => {
    await control.settings({ credits: 4 });
    expect((await ask(`/crm/v8/Leads/${lead}`)).headers.get('x-api-credits-remaining')).toBeNull();
    expect((await ask(`/crm/v8/Leads/${lead}`)).headers.get('x-api-credits-remaining')).toBe('2');
  });

  test('takes its time on demand', async () => {
    await control.settings({ latencyMilliseconds: 5 });
    expect((await get(`/crm/v8/Leads/${lead}`)).status).toBe(200);
  });

  test('tells the control client every request with its route, query, body, token and answer', async () => {
    await get(`/crm/v8/Leads/${lead}?a=b`);
    await writeCalls([{}]);
    expect(await control.requests('GET /crm/v8/Leads/{id}')).toMatchObject([
      { side: 'api', path: `/crm/v8/Leads/${lead}`, query: { a: 'b' }, token, answer: 200 },
    ]);
    expect(await control.requests('POST /crm/v8/Calls')).toMatchObject([{ body: { data: [{}] }, answer: 202 }]);
    expect(await control.requests()).toHaveLength(2);
  });
});

describe('GET /crm/v8/Leads', () => {
  test('answers the asked fields and pages', async () => {
    await control.putLeads([{ fields: { Last_Name: 'B' } }, { fields: { Last_Name: 'C' } }]);
    const first = await get('/crm/v8/Leads?fields=Last_Name&per_page=2');
    expect(first.body).toEqual({
      data: [
        { id: lead, Last_Name: 'Iyer' },
        { id: expect.any(String), Last_Name: 'B' },
      ],
      info: { per_page: 2, count: 2, page: 1, more_records: true },
    });
    const second = await get('/crm/v8/Leads?fields=Last_Name&per_page=2&page=2');
    expect(second.body.info).toEqual({ per_page: 2, count: 1, page: 2, more_records: false });
    expect((await get('/crm/v8/Leads?fields=Last_Name&page=3')).status).toBe(204);
  });

  test.each([
    ['no fields', '', 'REQUIRED_PARAM_MISSING', { param_name: 'fields' }],
    [
      'more than 50 fields',
      `?fields=${Array(51).fill('City').join(',')}`,
      'LIMIT_EXCEEDED',
      { param_name: 'fields', limit: 50 },
    ],
    ['more than 200 a page', '?fields=City&per_page=201', 'INVALID_DATA', { param_name: 'per_page' }],
    ['a page beyond 2000 records', '?fields=City&page=11', 'LIMIT_EXCEEDED', { param_name: 'page', limit: 2000 }],
  ])('refuses %s', async (_, query, code, details) => {
    expect(await get(`/crm/v8/Leads${query}`)).toEqual({ status: 400, body: errorOf(code, details) });
  });
});

describe('POST /crm/v8/Calls', () => {
  test('answers 201 with SUCCESS for each, and the call hangs on the lead', async () => {
    const { status, body } = await writeCalls([call()]);
    expect(status).toBe(201);
    const by = { name: asha.name, id: asha.id };
    expect(body).toEqual({
      data: [
        {
          code: 'SUCCESS',
          details: {
            id: expect.stringMatching(/^\d{15}$/),
            Created_Time: isoTime,
            Modified_Time: isoTime,
            Created_By: by,
            Modified_By: by,
            $approval_state: 'approved',
          },
          message: 'record added',
          status: 'success',
        },
      ],
    });
    const { id } = body.data[0].details;
    expect((await get(`/crm/v8/Leads/${lead}/Calls_History?fields=Subject,Call_Duration`)).body.data).toEqual([
      { id, Subject: 'Call to +919812345678', Call_Duration: '00:03' },
    ]);
    expect((await get(`/crm/v8/Calls/${id}`)).body.data[0]).toMatchObject({ Call_Duration_in_seconds: 180 });
  });

  test('reads the duration as minutes and seconds on demand', async () => {
    await control.settings({ callDurationIs: 'mm:ss' });
    const { body } = await writeCalls([call({ Call_Duration: '03:25' })]);
    expect((await get(`/crm/v8/Calls/${body.data[0].details.id}`)).body.data[0].Call_Duration_in_seconds).toBe(205);
  });

  test.each(['Call_Type', 'Call_Start_Time', 'Call_Duration'])(
    'answers MANDATORY_NOT_FOUND on a 2xx without %s',
    async (name) => {
      expect(await writeCalls([call({ [name]: undefined })])).toEqual({
        status: 202,
        body: { data: [errorOf('MANDATORY_NOT_FOUND', { api_name: name, json_path: `$.data[0].${name}` })] },
      });
      expect(await control.calls()).toEqual([]);
    },
  );

  test('answers DEPENDENT_MISMATCH for a duration of 00:00', async () => {
    expect((await writeCalls([call({ Call_Duration: '00:00' })])).body.data).toEqual([
      errorOf('DEPENDENT_MISMATCH', {
        dependee: { api_name: 'Call_Type', json_path: '$.data[0].Call_Type' },
        api_name: 'Call_Duration',
        json_path: '$.data[0].Call_Duration',
      }),
    ]);
  });

  test('takes a duration of 00:00 for a missed call', async () => {
    expect((await writeCalls([call({ Call_Type: 'Missed', Call_Duration: '00:00' })])).status).toBe(201);
  });

  test.each([
    ['another type', { Call_Type: 'Outgoing' }, 'Call_Type'],
    ['a start without offset', { Call_Start_Time: '2026-01-05T10:30:00' }, 'Call_Start_Time'],
    ['a start with milliseconds', { Call_Start_Time: '2026-01-05T10:30:00.000+05:30' }, 'Call_Start_Time'],
    ['a start in the future', { Call_Start_Time: '2999-01-05T10:30:00+05:30' }, 'Call_Start_Time'],
    ['a duration in another form', { Call_Duration: '1:5' }, 'Call_Duration'],
    ['a duration that is a number', { Call_Duration: 65 }, 'Call_Duration'],
    ['a lead there is not', { What_Id: '554000000999999' }, 'What_Id'],
    ['a lead where a contact belongs', { Who_Id: '554000000100001' }, 'Who_Id'],
  ])('answers INVALID_DATA for %s', async (_, changes, name) => {
    expect(await writeCalls([call(changes)])).toMatchObject({
      status: 202,
      body: { data: [{ code: 'INVALID_DATA', details: { api_name: name }, status: 'error' }] },
    });
  });

  test('takes What_Id as an object too', async () => {
    await writeCalls([call({ What_Id: { id: lead } })]);
    expect(await control.calls(lead)).toHaveLength(1);
  });

  test('adds a call without $se_module that hangs on no lead', async () => {
    expect((await writeCalls([call({ $se_module: undefined })])).status).toBe(201);
    expect(await control.calls()).toHaveLength(1);
    expect((await get(`/crm/v8/Leads/${lead}/Calls_History?fields=Subject`)).status).toBe(204);
  });

  test('refuses a call without $se_module on demand', async () => {
    await control.settings({ missingSeModule: 'refuse' });
    expect((await writeCalls([call({ $se_module: undefined })])).body.data).toEqual([
      errorOf('MANDATORY_NOT_FOUND', { api_name: '$se_module', json_path: '$.data[0].$se_module' }),
    ]);
  });

  test('answers 207 where some succeed and some do not', async () => {
    const { status, body } = await writeCalls([call(), call({ Call_Type: undefined })]);
    expect(status).toBe(207);
    expect(body.data.map(({ code }: { code: string }) => code)).toEqual(['SUCCESS', 'MANDATORY_NOT_FOUND']);
  });

  test.each([207, 400] as const)('answers items that all failed by %i on demand', async (status) => {
    await control.settings({ itemErrorStatus: status });
    expect((await writeCalls([call({ Call_Type: undefined })])).status).toBe(status);
  });

  test('writes the same call twice when it is sent twice', async () => {
    await writeCalls([call()]);
    await writeCalls([call()]);
    expect(await control.calls(lead)).toHaveLength(2);
  });

  test.each([
    ['no data', {}, 'MANDATORY_NOT_FOUND'],
    ['data that is no list', { data: {} }, 'INVALID_DATA'],
    ['an empty list', { data: [] }, 'INVALID_DATA'],
    ['more than 100', { data: Array(101).fill({}) }, 'LIMIT_EXCEEDED'],
    ['an unknown trigger', { data: [{}], trigger: ['all'] }, 'INVALID_DATA'],
    ['a body that is no JSON', 'x', 'INVALID_REQUEST'],
  ])('refuses %s flatly by 400', async (_, body, code) => {
    expect(await told(await ask('/crm/v8/Calls', 'POST', body))).toMatchObject({ status: 400, body: { code } });
  });

  test('tells the control client which request wrote it', async () => {
    await writeCalls([call()]);
    const [written] = await control.calls(lead);
    expect(written).toMatchObject({
      record: { Call_Type: 'Outbound', What_Id: { id: lead } },
      trigger: [],
      request: { route: 'POST /crm/v8/Calls', body: { trigger: [] }, answer: 201 },
    });
  });
});

describe('POST /crm/v8/Leads/{id}/Notes', () => {
  test('answers 201 with SUCCESS, and the note hangs on the lead', async () => {
    const { status, body } = await writeNotes([{ Note_Title: 'Call', Note_Content: 'Hello' }]);
    expect(status).toBe(201);
    expect(body.data).toMatchObject([{ code: 'SUCCESS', message: 'record added' }]);
    expect((await get(`/crm/v8/Leads/${lead}/Notes?fields=Note_Title,Note_Content`)).body.data).toEqual([
      { id: body.data[0].details.id, Note_Title: 'Call', Note_Content: 'Hello' },
    ]);
    expect(await control.notes(lead)).toMatchObject([{ record: { Note_Content: 'Hello' }, trigger: [] }]);
  });

  test('takes 32,000 characters and refuses one more with the maximum', async () => {
    expect((await writeNotes([{ Note_Content: 'x'.repeat(32_000) }])).status).toBe(201);
    expect(await writeNotes([{ Note_Content: 'x'.repeat(32_001) }])).toEqual({
      status: 202,
      body: {
        data: [
          errorOf('INVALID_DATA', {
            maximum_length: 32_000,
            api_name: 'Note_Content',
            json_path: '$.data[0].Note_Content',
          }),
        ],
      },
    });
  });

  test('refuses a title over 120 characters', async () => {
    expect((await writeNotes([{ Note_Title: 't'.repeat(121), Note_Content: 'x' }])).body.data).toMatchObject([
      { code: 'INVALID_DATA', details: { api_name: 'Note_Title', maximum_length: 120 } },
    ]);
  });

  test('refuses a note without content', async () => {
    expect((await writeNotes([{ Note_Title: 't' }])).body.data).toMatchObject([
      { code: 'MANDATORY_NOT_FOUND', details: { api_name: 'Note_Content' } },
    ]);
  });

  test.each([
    ['without its module', { id: '1' }, 'MANDATORY_NOT_FOUND'],
    ['without its id', { module: { api_name: 'Leads' } }, 'MANDATORY_NOT_FOUND'],
    ['that is another one', { module: { api_name: 'Leads' }, id: '1' }, 'INVALID_DATA'],
  ])('refuses a Parent_Id %s', async (_, parent, code) => {
    expect((await writeNotes([{ Note_Content: 'x', Parent_Id: parent }])).body.data).toMatchObject([{ code }]);
  });

  test('answers 400 where there is no such lead', async () => {
    expect(await writeNotes([{ Note_Content: 'x' }], '554000000999999')).toEqual({
      status: 400,
      body: errorOf('INVALID_DATA', { resource_path_index: 1 }),
    });
  });

  test('moves the lead’s Last_Activity_Time, and its Modified_Time only on demand', async () => {
    const modified = async () => (await get(`/crm/v8/Leads/${lead}`)).body.data[0];
    const before = await modified();
    await writeNotes([{ Note_Content: 'x' }]);
    expect(await modified()).toEqual({ ...before, Last_Activity_Time: isoTime });
  });
});

describe('related lists', () => {
  test('page, and answer 204 where there is nothing', async () => {
    expect((await get(`/crm/v8/Leads/${lead}/Notes?fields=Note_Content`)).status).toBe(204);
    await writeNotes([{ Note_Content: 'a' }, { Note_Content: 'b' }, { Note_Content: 'c' }]);
    const page = await get(`/crm/v8/Leads/${lead}/Notes?fields=Note_Content&per_page=2&page=2`);
    expect(page.body.data).toMatchObject([{ Note_Content: 'c' }]);
    expect(page.body.info).toEqual({ per_page: 2, count: 1, page: 2, more_records: false });
  });

  // Zoho CRM v8, Modules Metadata: of Leads, Calls is "Open Calls" and Calls_History "Closed Calls".
  test('have a call that is over among the closed ones', async () => {
    await writeCalls([call()]);
    expect((await get(`/crm/v8/Leads/${lead}/Calls_History?fields=Subject`)).body.data).toHaveLength(1);
    expect((await get(`/crm/v8/Leads/${lead}/Calls?fields=Subject`)).status).toBe(204);
  });

  test('need fields', async () => {
    expect(await get(`/crm/v8/Leads/${lead}/Calls`)).toEqual({
      status: 400,
      body: errorOf('REQUIRED_PARAM_MISSING', { param_name: 'fields' }),
    });
  });
});

describe('GET /crm/v8/users', () => {
  test('answers the user of the token for type=CurrentUser', async () => {
    const { body } = await get('/crm/v8/users?type=CurrentUser');
    expect(body.users).toMatchObject([{ id: asha.id, full_name: 'Asha Rao', email: asha.email, status: 'active' }]);
  });

  test('answers all users of the org otherwise', async () => {
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    expect((await get('/crm/v8/users')).body.users).toHaveLength(2);
  });
});

test('GET /crm/v8/org answers the account of the token', async () => {
  const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes: ['ZohoCRM.org.READ'] });
  expect(await told(await ask('/crm/v8/org', 'GET', undefined, accessToken))).toMatchObject({
    status: 200,
    body: { org: [{ company_name: 'main', time_zone: 'Asia/Kolkata' }] },
  });
});

describe('GET /crm/v8/settings/fields', () => {
  test('answers the fields of Leads with api_name and data_type, those of a put lead among them', async () => {
    await control.createLead({ Last_Name: 'X', Budget_Band: 'A' });
    const { body } = await get('/crm/v8/settings/fields?module=Leads');
    expect(body.fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ api_name: 'Mobile', data_type: 'phone', custom_field: false }),
        expect.objectContaining({ api_name: 'Call_Disposition', data_type: 'picklist', custom_field: true }),
        expect.objectContaining({ api_name: 'Budget_Band', custom_field: true }),
      ]),
    );
  });

  test.each(['Calls', 'Notes'])('answers the fields of %s', async (module) => {
    expect((await get(`/crm/v8/settings/fields?module=${module}`)).body.fields).toEqual(
      expect.arrayContaining([expect.objectContaining({ api_name: 'Created_Time', data_type: 'datetime' })]),
    );
  });

  test('needs a module', async () => {
    expect((await get('/crm/v8/settings/fields')).body).toMatchObject({ code: 'REQUIRED_PARAM_MISSING' });
  });
});

describe('the pages', () => {
  test('show a lead with its calls and notes, escaped', async () => {
    await control.editLead(lead, { Company: '<img src=x onerror=alert(1)>' });
    await writeCalls([call()]);
    await writeNotes([{ Note_Content: 'line 1\n<b>line 2</b> at <http://127.0.0.1/r?a=1&b=2>' }]);
    const answer = await fetch(`${simulator.url}/leads/${lead}`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await answer.text();
    for (const text of ['Meera Iyer', 'Asha Rao', 'Call to +919812345678', 'line 1\n&lt;b&gt;line 2&lt;/b&gt;'])
      expect(html).toContain(text);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toContain('<img');
    const link = 'http://127.0.0.1/r?a=1&amp;b=2';
    expect(html).toContain(`&lt;<a href="${link}" rel="noreferrer">${link}</a>&gt;`);
  });

  test('list the leads and take a new one by a form', async () => {
    const body = new URLSearchParams({ First_Name: 'Ravi', Last_Name: 'K', Mobile: '+919800000000', owner: vikramId });
    const answer = await fetch(`${simulator.url}/leads`, { method: 'POST', body, redirect: 'manual' });
    expect(answer.status).toBe(303);
    const id = answer.headers.get('location')?.split('/').at(-1);
    expect((await get(`/crm/v8/Leads/${id}`)).body.data[0]).toMatchObject({
      Full_Name: 'Ravi K',
      Owner: { id: vikramId },
    });
    expect(await (await fetch(`${simulator.url}/leads`)).text()).toContain(`/leads/${id}`);
  });

  test('change a lead by a form, what is left empty included', async () => {
    const body = new URLSearchParams({ Last_Name: 'Iyer', Mobile: '+919812345678', City: 'Pune', owner: vikramId });
    await fetch(`${simulator.url}/leads/${lead}`, { method: 'POST', body, redirect: 'manual' });
    expect((await get(`/crm/v8/Leads/${lead}`)).body.data[0]).toMatchObject({
      Full_Name: 'Iyer',
      First_Name: null,
      City: 'Pune',
      Owner: { id: vikramId },
    });
  });

  test('answer 404 for a lead there is not', async () => {
    expect((await fetch(`${simulator.url}/leads/1`)).status).toBe(404);
  });
});

describe('the control client', () => {
  test('is told what is wrong with an order', async () => {
    await expect(control.settings({ coqlLimit: -1 })).rejects.toThrow(/coqlLimit/);
    await expect(control.createLead({}, { owner: '1' })).rejects.toThrow(/no user 1/);
  });

  test('lists leads as the API shows them', async () => {
    expect(await control.leads()).toEqual([(await get(`/crm/v8/Leads/${lead}`)).body.data[0]]);
  });

  test('forgets everything but the first clients and users by reset', async () => {
    await writeCalls([call()]);
    await control.reset();
    expect(await control.leads()).toEqual([]);
    expect(await control.calls()).toEqual([]);
    expect(await control.grants()).toEqual([]);
    expect(await control.requests()).toEqual([]);
    expect(await control.users()).toHaveLength(2);
  });
});

test('main.ts runs it as a process and prints both addresses', async () => {
  const clients = JSON.stringify([{ id: '1000.M', secret: 's' }]);
  const child = spawn(process.execPath, ['local/simulators/crm-b/main.ts'], {
    env: { ...process.env, NODE_OPTIONS: '', CLIENTS: clients },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const { url, accountsUrl } = JSON.parse(String(line));
  expect((await fetch(`${url}/leads`)).status).toBe(200);
  const answer = await fetch(`${accountsUrl}/oauth/v2/token?client_id=1000.M&client_secret=s&grant_type=x`, {
    method: 'POST',
  });
  expect(await answer.json()).toEqual({ error: 'invalid_request' });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
