import fc from 'fast-check';
import { type Condition, type Criterion, parseCoql } from '../../../local/simulators/crm-b/rules/coql-parse.ts';
import type { CrmBAnswer, CrmBRequest } from '../../../shared/integrations/crm-b/api.ts';
import { leadsChangedBetween, leadsWithDisposition } from '../../../shared/integrations/crm-b/coql.ts';
import { aToken } from '../../support/connections/access-token.ts';
import { anyCharacter } from '../../support/values/any-text.ts';

const access = { apiDomain: 'https://crm', token: async () => aToken('token') };

/** Creates a CRM that gives these answers in turn, then empty ones, and that records its queries. */
function answering(...bodies: unknown[]) {
  const queries: string[] = [];
  const api = async (_access: unknown, { json }: CrmBRequest): Promise<CrmBAnswer> => {
    queries.push((json as { select_query: string }).select_query);
    const body = bodies.shift();
    return { kind: 'answered', status: body === undefined ? 204 : 200, body };
  };
  return { api, queries };
}

const criteriaIn = (condition: Condition): Criterion[] =>
  'joint' in condition ? condition.parts.flatMap(criteriaIn) : [condition];
const fieldName = fc.stringMatching(/^[A-Z][a-z]{0,8}_[A-Za-z0-9_]{0,10}$/);
const digits = fc.stringMatching(/^[1-9][0-9]{0,18}$/);
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', 'a', '%', '(', ')', '-', ';', '\n') }),
);

/** The string literals of a query and the text outside of them, read without the simulator's parser. */
const literalsOf = (query: string) => ({
  literals: (query.match(/'(?:[^']|'')*'/g) ?? []).map((literal) => literal.slice(1, -1).replaceAll("''", "'")),
  outside: query.replace(/'(?:[^']|'')*'/g, '?'),
});

describe('a query for a disposition', () => {
  it.each([
    "' or id > 0 or Owner = '",
    "'' or ''",
    "'",
    "''",
    "\\'",
    '\\',
    '") or (id > 0',
    "x' limit 0, 2000 --",
    "x'; select id from Contacts where Email = 'a",
    '%',
    '\u2019 or \u2018',
    '\uFF07 or id > 0',
    '\u02BC',
    "a\n' or\tid > 0 --\r",
    '\0',
    "/* ' */",
    '#{Owner}',
    '{{id}}',
    "नमस्ते ' 😀",
    `${'x'.repeat(5_000)}'`,
  ])('has one literal for each value, and the same words outside of them: %j', async (hostile) => {
    const { api, queries } = answering();
    const wanted = { field: 'Lead_Status', ownerId: hostile, after: '7' };
    await leadsWithDisposition(api, access, { ...wanted, value: hostile });
    const { literals, outside } = literalsOf(queries[0] ?? '');
    expect(literals).toEqual([hostile, hostile]);
    expect(outside).toBe(
      'select id from Leads where ((Lead_Status = ? and Owner = ?) and id > 7) order by id asc limit 2000',
    );
  });

  it('is not sent for a malformed field name', async () => {
    const { api, queries } = answering();
    for (const field of ['', '1a', 'a b', "a'", 'a = 1 or b', 'a.b', 'a)', 'Lead_Status\n', 'Ｌead', 'a--'])
      await expect(leadsWithDisposition(api, access, { field, value: 'x', ownerId: '1' })).rejects.toThrow(RangeError);
    expect(queries).toEqual([]);
  });

  it('selects exactly this value, owner and position, with any characters in them', async () => {
    await fc.assert(
      fc.asyncProperty(fieldName, anyText, anyText, digits, async (field, value, ownerId, after) => {
        const { api, queries } = answering();
        await leadsWithDisposition(api, access, { field, value, ownerId, after });
        const query = parseCoql(queries[0] ?? '');
        expect(query).toMatchObject({ module: 'Leads', limit: 2_000, offset: 0 });
        expect(query.orderBy).toEqual([{ column: 'id', descending: false }]);
        expect(
          criteriaIn(query.where).map(({ column, operator, values }) => [column, operator, values[0]?.text]),
        ).toEqual([
          [field, '=', value],
          ['Owner', '=', ownerId],
          ['id', '>', after],
        ]);
        const joints = JSON.stringify(query.where).match(/"joint":"\w+"/g);
        expect(joints).toEqual(['"joint":"and"', '"joint":"and"']);
      }),
    );
  });

  it('returns every digit of ids with 19 digits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(digits, { minLength: 1 }), fc.boolean(), async (ids, more_records) => {
        const { api } = answering({ data: ids.map((id) => ({ id })), info: { more_records } });
        expect(await leadsWithDisposition(api, access, { field: 'A', value: 'x', ownerId: '1' })).toEqual({
          kind: 'found',
          ids,
          ...(more_records && { next: ids.at(-1) }),
        });
      }),
    );
  });

  it('ends if paging stops advancing', async () => {
    const { api } = answering({ data: [{ id: '5' }], info: { more_records: true } });
    expect(await leadsWithDisposition(api, access, { field: 'A', value: 'x', ownerId: '1', after: '5' })).toEqual({
      kind: 'unavailable',
      reason: 'the pages do not advance',
    });
  });

  it.each(['', 'x', '1 or id > 0', '-1'])('starts at the beginning if the position is not an id: %j', async (after) => {
    const wanted = { field: 'A', value: 'x', ownerId: '1', after };
    await expect(leadsWithDisposition(answering().api, access, wanted)).rejects.toThrow(RangeError);
  });
});

describe('an answer that differs from its documentation', () => {
  const span = { from: new Date(0), to: new Date(1_000) };

  it('makes the CRM unavailable and is never read in part', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        const one = await leadsChangedBetween(answering(body).api, access, span, 10);
        expect(one).toEqual({ kind: 'unavailable', reason: 'the answer cannot be read' });
      }),
    );
  });

  const at = '2026-01-01T10:00:00+05:30';
  const row = { id: '554000000000001', Created_Time: at, Modified_Time: at };
  it.each([
    { ...row, id: 554000000000001 },
    { ...row, id: undefined },
    { ...row, Created_Time: null },
    { ...row, Modified_Time: 'yesterday' },
    { ...row, Modified_Time: `${at}' or id > 0 or Modified_Time > '${at}` },
    { ...row, id: '1 or id > 0' },
    { ...row, id: "1' or '1" },
    { ...row, id: '-1' },
  ])('makes the CRM unavailable: %j', async (wrong) => {
    const { api, queries } = answering({ data: [wrong], info: { more_records: true } });
    expect(await leadsChangedBetween(api, access, span, 10)).toMatchObject({ kind: 'unavailable' });
    // The next page's query contains parts of this answer.
    expect(queries).toHaveLength(1);
  });
});

describe('a query for changed leads', () => {
  const row = (id: string, at: string) => ({ id, Created_Time: at, Modified_Time: at });
  const span = { from: new Date('2026-01-01T00:00:00.999Z'), to: new Date('2026-01-02T00:00:00.001Z') };

  it('continues after the last change and id, with times in seconds, and returns each lead once', async () => {
    const again = row('7', '2026-01-01T10:00:01+05:30');
    const { api, queries } = answering(
      { data: [row('3', '2026-01-01T10:00:00+05:30'), again], info: { more_records: true } },
      { data: [again, row('2', '2026-01-01T05:00:00+00:00')], info: { more_records: false } },
    );
    const found = await leadsChangedBetween(api, access, span, 10);
    expect(found).toMatchObject({ kind: 'found', leads: [{ id: '3' }, { id: '7' }, { id: '2' }], complete: true });
    for (const query of queries) expect(() => parseCoql(query)).not.toThrow();
    expect(queries).toEqual([
      "select id, Created_Time, Modified_Time from Leads where (Modified_Time >= '2026-01-01T00:00:00+00:00'" +
        " and Modified_Time <= '2026-01-02T00:00:00+00:00') order by Modified_Time asc, id asc limit 10",
      "select id, Created_Time, Modified_Time from Leads where ((Modified_Time > '2026-01-01T04:30:01+00:00'" +
        " or (Modified_Time = '2026-01-01T04:30:01+00:00' and id > 7))" +
        " and Modified_Time <= '2026-01-02T00:00:00+00:00') order by Modified_Time asc, id asc limit 8",
    ]);
  });

  it('ends if paging stops advancing', async () => {
    const page = { data: [row('3', '2026-01-01T10:00:00+05:30')], info: { more_records: true } };
    const { api, queries } = answering(page, page, page, page);
    expect(await leadsChangedBetween(api, access, span, 10)).toMatchObject({ kind: 'unavailable' });
    expect(queries).toHaveLength(2);
  });
});
