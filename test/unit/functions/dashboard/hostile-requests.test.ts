import type { DashboardRouteName } from '../../../../shared/messages/dashboard/routes.ts';
import { restoreClients } from '../../support/dashboard/handlers.ts';
import { anOffice, changes, namesOf, WAITING } from '../../support/dashboard/office.ts';

afterAll(restoreClients);

const LONG = 'é'.repeat(2_000);
const LONE = 'a\ud800b\u0000c';
const DEEP = 30_000;
const nested = (open: string, close: string) => open.repeat(DEEP) + close.repeat(DEEP);
/** Replaces every text of a body. */
const withTexts = (body: unknown, text: string): unknown =>
  JSON.parse(JSON.stringify(body), (_, value) => (typeof value === 'string' ? text : value));
const taking = namesOf(({ request }) => request);
const wanted = (name: DashboardRouteName): object =>
  (changes[name]?.[1].body as object | undefined) ?? (name === 'begin-consent' ? { data_center: 'in' } : {});

describe('a body', () => {
  it.each(taking)('of %s in another format is refused before it has an effect', async (name) => {
    const asking = changes[name]?.[1] ?? {};
    const deep = nested('[', ']');
    const hostile: [body: string, ...statuses: number[]][] = [
      ['{', 400],
      ['null', 400],
      ['[]', 400],
      [JSON.stringify({ ...wanted(name), org_id: 'org2', user_id: 'u2', owners: 9, phone_number: '+1' }), 400],
      ['{"__proto__": {"role": "owner"}, "constructor": {"prototype": {"role": "owner"}}}', 400],
      ['{"a\\u0000b": 1}', 400],
      [deep, 400, 413],
      [`{"settings": ${deep}, "variables": ${deep}}`, 400, 413],
      [JSON.stringify({ ...wanted(name), name: 'x'.repeat(1_000_000) }), 413],
    ];
    const world = anOffice();
    for (const [body, ...statuses] of hostile)
      expect(statuses).toContain((await world.ask(name, { ...asking, body })).status);
    const form = { ...asking, body: wanted(name), headers: { ...asking.headers, 'content-type': 'text/plain' } };
    expect((await world.ask(name, form)).status).toBe(415);
    expect([world.auditEntries(), world.asked]).toEqual([[], []]);
  });

  it.each(namesOf(({ path, request }) => request && path.startsWith('/assistants')))(
    'of %s with a schema of 30,000 levels is refused',
    async (name) => {
      const analysis_schema = `{"type": "object", "properties": {"a": {"default": ${nested('[', ']')}}}}`;
      const body = JSON.stringify({ ...wanted(name), analysis_schema: 0 }).replace(/0}$/, `${analysis_schema}}`);
      const { status } = await anOffice().ask(name, { ...changes[name]?.[1], body });
      expect(status).toBe(400);
    },
  );

  it.each(taking)('of %s leaves only well-formed text', async (name) => {
    const world = anOffice();
    const { status } = await world.ask(name, { ...changes[name]?.[1], body: withTexts(wanted(name), LONE) as object });
    expect(status).toBeLessThan(500);
    const tables = ['organizations', 'members', 'assistants', 'connections', 'api-keys', 'calls', 'audit'] as const;
    expect(tables.map((table) => JSON.stringify(world.all(table))).join()).not.toMatch(/\\ud800|\\u0000/);
  });

  it('may not be longer than described by characters that are not stored', async () => {
    for (const [end, status] of Object.entries({ x: 400, ' ': 400, '\u0000': 400, '\ud800': 400, '': 201 })) {
      const body = { ...wanted('create-key'), name: 'x'.repeat(100) + end };
      expect([end, (await anOffice().ask('create-key', { body })).status]).toEqual([end, status]);
    }
  });
});

describe('an address', () => {
  it.each(namesOf(({ path }) => path.includes('{')))(
    'of %s with an impossible id is answered with 404',
    async (name) => {
      const world = anOffice();
      for (const id of ['../..', '__proto__', 'constructor', 'a\u0000b', '%00', '+', 'conn_1#', LONG]) {
        const path = { id, phone: id, entryId: id, webhookId: id };
        const { status, body } = await world.ask(name, {
          ...changes[name]?.[1],
          body: changes[name]?.[1].body ?? wanted(name),
          path,
        });
        expect([id, status, body.error]).toEqual([id, 404, expect.stringMatching(/_not_found$|_not_listed$/)]);
      }
    },
  );

  const lists = namesOf(({ query }) => query && 'next' in (query as never as { def: { shape: object } }).def.shape);
  const cursor = (keys: unknown) => Buffer.from(JSON.stringify(keys)).toString('base64url');
  const old = '2020-01-01T00:00:00.000Z';

  it.each(lists)('of %s with the page of another list is refused', async (name) => {
    const world = anOffice();
    const next = [null, { org_id: 'org2', entry: 'a' }, { entry: 'x'.repeat(600) }].map(cursor);
    const queries = [
      ...['x', ...next].map((one) => ({ next: one })),
      ...['201', '0', '1e2'].map((limit) => ({ limit })),
    ];
    for (const query of queries) expect((await world.ask(name, { query })).status).toBe(400);
  });

  it.each(lists)('of %s with impossible dates is answered', async (name) => {
    const world = anOffice();
    const keys = [
      { entry: `${old}#a` },
      { entry: '~' },
      { email: 'a@example.com', user_id: 'u1' },
      { created_at: old, call_id: WAITING },
      { created_at: old, assistant_id: 'asst_1' },
      { key_id: 'key_1' },
      { at: old, event_id: 'evt_1' },
      { phone: '+15550100' },
    ];
    const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    for (const key of keys) {
      const query = { next: cursor(key), from: early, to: late, prefix: '+91' };
      expect((await world.ask(name, { query })).status).toBeLessThan(500);
    }
    expect(await world.ask(name, { query: { from: late, to: early } })).toMatchObject({ status: 200 });
  });
});
