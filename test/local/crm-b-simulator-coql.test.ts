import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { startCrmB } from './support/crm-b.ts';

const { ask, begin, control, end, send } = await startCrmB();

const vikramId = '554000000000102';

const coql = (select_query: unknown) => ask('POST', '/coql', { body: { select_query } });
const names = async (where: string) => {
  const { status, body } = await coql(`select Last_Name from Leads where ${where}`);
  if (status === 204) return [];
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data.map((row: { Last_Name: string }) => row.Last_Name);
};

beforeAll(async () => {
  await begin();
  await control.putLeads([
    { fields: { Last_Name: 'Adams', City: 'Pune', Call_Disposition: 'RNR', Annual_Revenue: 9, Email_Opt_Out: false } },
    { fields: { Last_Name: "O'Brien", City: 'Delhi', Call_Disposition: 'RNR', Annual_Revenue: 10 }, owner: vikramId },
    { fields: { Last_Name: 'Chen "C"', Call_Disposition: 'Hot', Mobile: '+919812345678', Email_Opt_Out: true } },
  ]);
});

afterAll(end);

describe('POST /crm/v8/coql', () => {
  test('answers the selected columns, the id, and info', async () => {
    expect(await coql("select Last_Name, City from Leads where Last_Name = 'Adams'")).toEqual({
      status: 200,
      body: {
        data: [{ Last_Name: 'Adams', City: 'Pune', id: expect.stringMatching(/^\d{15}$/) }],
        info: { count: 1, more_records: false },
      },
    });
  });

  test.each<[string, string, string[]]>([
    ['!=', "Call_Disposition != 'RNR'", ['Chen "C"']],
    ['<> by number', 'Annual_Revenue <> 9', ["O'Brien"]],
    ['>= by number, not by text', 'Annual_Revenue >= 10', ["O'Brien"]],
    ['<', 'Annual_Revenue < 10', ['Adams']],
    ['between', 'Annual_Revenue between 9 and 10', ['Adams', "O'Brien"]],
    ['not between', 'Annual_Revenue not between 1 and 9', ["O'Brien"]],
    ['in', "City in ('Pune', 'Delhi')", ['Adams', "O'Brien"]],
    ['not in', "City not in ('Pune')", ["O'Brien"]],
    ['like with % at the end', "Last_Name like 'Ad%'", ['Adams']],
    ['like with % on both sides', "Last_Name like '%e%'", ["O'Brien", 'Chen "C"']],
    ['not like', "Last_Name not like 'A%'", ["O'Brien", 'Chen "C"']],
    ['is null', 'City is null', ['Chen "C"']],
    ['is not null', 'City is not null', ['Adams', "O'Brien"]],
    ['a boolean', "Email_Opt_Out = 'true'", ['Chen "C"']],
    ['the owner by id', `Owner = ${vikramId}`, ["O'Brien"]],
    ['a part of the owner', "Owner.last_name = 'Nair'", ["O'Brien"]],
    ['an unquoted word', 'Call_Disposition = Hot', ['Chen "C"']],
    ['a column in quotes', "'City' = 'Pune'", ['Adams']],
    ['or', "City = 'Pune' or City = 'Delhi'", ['Adams', "O'Brien"]],
    ['pairs in parentheses', "((City = 'Pune' or City = 'Delhi') and Call_Disposition = 'RNR')", ['Adams', "O'Brien"]],
    ['keywords in capitals', "City = 'Pune' AND Last_Name IS NOT NULL", ['Adams']],
    ['a doubled apostrophe', "Last_Name = 'O''Brien'", ["O'Brien"]],
    ['a doubled double quote', 'Last_Name = "Chen ""C"""', ['Chen "C"']],
    ['a plus sign', "Mobile = '+919812345678'", ['Chen "C"']],
    ['a time in another offset', "Modified_Time >= '2001-01-01T00:00:00+00:00'", ['Adams', "O'Brien", 'Chen "C"']],
  ])('understands %s', async (_, where, expected) => {
    expect(await names(where)).toEqual(expected);
  });

  test('sorts by id by default, else by the given columns', async () => {
    const order = async (text: string) =>
      (await coql(`select Last_Name from Leads where id is not null ${text}`)).body.data.map(
        (row: { Last_Name: string }) => row.Last_Name,
      );
    expect(await order('')).toEqual(['Adams', "O'Brien", 'Chen "C"']);
    expect(await order('order by id desc')).toEqual(['Chen "C"', "O'Brien", 'Adams']);
    expect(await order('order by Call_Disposition asc, Last_Name desc')).toEqual(['Chen "C"', "O'Brien", 'Adams']);
  });

  test.each([
    ['limit 2', 2, true],
    ['limit 2 offset 0', 2, true],
    ['limit 0, 2', 2, true],
    ['limit 2 offset 2', 1, false],
    ['limit 2, 2', 1, false],
  ])('answers a page for %s', async (page, count, more_records) => {
    const { body } = await coql(`select id from Leads where id is not null ${page}`);
    expect([body.data.length, body.info]).toEqual([count, { count, more_records }]);
  });

  test('answers 200 rows by default', async () => {
    const many = Array.from({ length: 200 }, () => ({ fields: { Last_Name: 'Many', City: 'Surat' }, quiet: true }));
    await control.putLeads(many);
    const { body } = await coql('select id from Leads where City is not null');
    expect(body.info).toEqual({ count: 200, more_records: true });
  });

  test.each<[string, string, object]>([
    ['three criteria without grouping in pairs', "City = 'a' and City = 'b' and City = 'c'", { near: 'and' }],
    ['a single apostrophe', "Last_Name = 'O'Brien'", {}],
    ['a missing value', 'City =', {}],
    ['an unknown operator', "City contains 'x'", { near: 'contains' }],
    ['an open parenthesis', "(City = 'x'", {}],
    ['an offset without limit', "City = 'x' offset 1", { near: 'offset' }],
    ['group by', "City = 'x' group by City", { near: 'group' }],
  ])('answers SYNTAX_ERROR with its position for %s', async (_, where, details) => {
    expect(await coql(`select id from Leads where ${where}`)).toMatchObject({
      status: 400,
      body: { code: 'SYNTAX_ERROR', details: { line: 1, column: expect.any(Number), ...details }, status: 'error' },
    });
  });

  test.each([
    ['where', 'select id from Leads limit 10'],
    ['where', 'select id from Leads'],
    ['from', 'select id'],
    ['select', 'update Leads'],
  ])('answers SYNTAX_ERROR for a missing clause: %s', async (clause, text) => {
    expect((await coql(text)).body).toMatchObject({ code: 'SYNTAX_ERROR', details: { clause } });
  });

  test.each([
    ['an unknown column', "select Nothing from Leads where City = 'x'", 'Nothing'],
    ['an unknown column in a criterion', "select id from Leads where Nothing = 'x'", 'Nothing'],
    ['an unknown column in order by', "select id from Leads where City = 'x' order by Nothing", 'Nothing'],
    ['an unknown part of a person', "select Owner.full_name from Leads where City = 'x'", 'Owner.full_name'],
    ['a multi-line field in a criterion', "select id from Leads where Description = 'x'", 'Description'],
    ['a time without offset', "select id from Leads where Modified_Time > '2026-01-01T00:00:00'", 'Modified_Time'],
    ['a date in place of a time', "select id from Leads where Modified_Time > '2026-01-01'", 'Modified_Time'],
    ['like on a time', "select id from Leads where Modified_Time like '2026%'", 'Modified_Time'],
  ])('answers INVALID_QUERY for %s', async (_, text, column) => {
    expect(await coql(text)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY', details: { column_name: column, reason: expect.any(String) }, status: 'error' },
    });
  });

  const nested = (depth: number): string => (depth === 0 ? "City = 'x'" : `(${nested(depth - 1)} or City = 'x')`);
  test.each([
    ['a limit over 2000', "select id from Leads where City = 'x' limit 2001"],
    ['limit and offset over 100,000 together', "select id from Leads where City = 'x' limit 100000, 1"],
    ['more than 50 columns', `select ${Array(51).fill('City').join(',')} from Leads where City = 'x'`],
    ['more than 50 values', `select id from Leads where City in (${Array(51).fill("'x'").join(',')})`],
    ['more than 25 criteria', `select id from Leads where ${nested(25)}`],
  ])('answers LIMIT_EXCEEDED for %s', async (_, text) => {
    expect(await coql(text)).toMatchObject({ status: 400, body: { code: 'LIMIT_EXCEEDED' } });
  });

  test('answers only leads of the user’s organization', async () => {
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    await control.createLead({ Last_Name: 'Theirs' }, { org: 'other' });
    expect(await names("Last_Name = 'Theirs'")).toEqual([]);
  });

  test.each([
    [200, 1],
    [201, 2],
    [1000, 2],
    [1001, 3],
  ])('with limit %i costs %i credits', async (limit, credits) => {
    const user = String(900 + limit);
    await control.user(user, { name: 'New Org', email: 'new@example.com', org: user });
    const scopes = ['ZohoCRM.coql.READ', 'ZohoCRM.modules.leads.READ'];
    const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes, user });
    await control.settings({ credits: 2 * credits });
    const body = { select_query: `select id from Leads where id is null limit ${limit}` };
    const answer = await send('POST', '/coql', { body, accessToken });
    expect(answer.headers.get('x-api-credits-remaining')).toBe(String(credits));
  });
});
