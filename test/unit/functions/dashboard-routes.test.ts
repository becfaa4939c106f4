import { TooManyRequestsException } from '@aws-sdk/client-cognito-identity-provider';
import { hashOfBrowser } from '../../../shared/domain/connections/access/consent.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { hashApiKey } from '../../../shared/domain/organizations/api-key.ts';
import type { AuditAction } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import type { DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { aCall, aClaimedCall } from '../support/call.ts';
import {
  type Answer,
  type Asking,
  DASHBOARD_URL,
  dashboardHandlers,
  restoreClients,
} from '../support/dashboard-handlers.ts';
import { aConnection, aGrant, anAssistant, anOrg, ORG } from '../support/worlds/items.ts';
import { aWorld } from '../support/worlds/world.ts';

afterAll(restoreClients);

const WAITING = aCall().call_id;
const ENDED = `call_${'1'.repeat(32)}`;
const KNOWLEDGE = `kb_${'0'.repeat(24)}`;
const BROWSER = 'b'.repeat(43);
/** A consent that u1 began in this browser. Its hosts do not answer. */
const PENDING: NonNullable<Connection['pending_consent']> = {
  id: '0'.repeat(32),
  grant: aGrant({
    api_domain: 'http://127.0.0.1:9',
    accounts_server: 'http://127.0.0.1:9',
    identity: { organizations: [{ id: '7', name: 'Acme' }], user: { name: 'Asha', email: 'asha@example.com' } },
  }),
  access: { version: 1, token: 'sealed', expires_at: '2099-01-01T00:00:00.000Z' },
  begun_by: { kind: 'member', user_id: 'u1', email: 'u1@example.com' },
  browser_hash: hashOfBrowser(BROWSER),
  at: '2026-03-02T05:00:00.000Z',
  expires_at: '2099-01-01T00:00:00.000Z',
};
const jwt = (claims: object) => ['h', Buffer.from(JSON.stringify(claims)).toString('base64url'), 's'].join('.');

/** An organization with one item of each kind, and an owner whose token the requests carry. */
function anOffice(failures: Record<string, () => never> = {}) {
  const people = ['u1', 'u2'].map((user_id) => ({
    ...{ user_id, org_id: ORG, email: `${user_id}@example.com`, name: user_id, role: 'owner' },
    ...{ phone: '+919812345678', created_at: '2026-01-01T00:00:00.000Z' },
  }));
  const lead = { lead_id: 'l1', phones: ['+919812345678'], do_not_call: false, fields: {} };
  const event = { event_id: 'evt_1', connection_id: 'conn_1', source: 'webhook', event: 'new_lead', test: false };
  const at = '2026-03-02T05:00:00.000Z';
  const entry = { id: KNOWLEDGE, filename: 'a.txt', path: 'k', textPreview: 'a', uploadedAt: at };
  const world = aWorld({
    organizations: [anOrg({ owners: 2, held: 10_000, callback_secrets: [{ ciphertext: 'c2VhbGVk', hint: 'abcd' }] })],
    members: people,
    assistants: [anAssistant({ knowledge_base: [entry] }), anAssistant({ assistant_id: 'asst_2' })],
    'api-keys': [
      { key_hash: hashApiKey('k'), key_id: 'key_1', org_id: ORG, name: 'k', permissions: [], created_at: at },
    ],
    'do-not-call': [{ org_id: ORG, phone: '+919812345670', added_at: at }],
    connections: [
      aConnection({ type: 'crm-a', token_hash: 'hash', assistant_id: 'asst_2' }),
      aConnection({ connection_id: 'conn_2', pending_consent: PENDING }),
    ],
    activity: [
      {
        ...{ ...event, org_id: ORG, at, outcome: 'insufficient_credits', reason: 'No credit.', payload_keys: [] },
        ...{ expires_at: 1, retryable: JSON.stringify({ ...event, at, payload_keys: [], lead }) },
      },
    ],
    callbacks: [
      {
        ...{ call_id: ENDED, webhook_id: 'wh_1', org_id: ORG, type: 'call.completed', state: 'gone', attempts: [] },
        ...{ url: 'https://client.example', body: '{}', created_at: at, expires_at: 1 },
      },
    ],
  });
  for (const call of [
    aCall(),
    aClaimedCall({ call_id: ENDED, status: 'completed', unfinished: 'ended', transcript_key: 't', held: 0 }),
  ])
    world.putCall(call);
  const handlers = dashboardHandlers(world, {
    AdminCreateUser: () => ({ User: { Attributes: [{ Name: 'sub', Value: 'u3' }] } }),
    AdminDeleteUser: () => ({}),
    AdminInitiateAuth: () => ({ AuthenticationResult: { AccessToken: jwt({ sub: 'u1' }), ExpiresIn: 600 } }),
    GlobalSignOut: () => ({}),
    RevokeToken: () => ({}),
    GetSecretValue: () => ({ SecretString: 'key of the list' }),
    Decrypt: () => ({ Plaintext: Buffer.from('whsec_old') }),
    Encrypt: () => ({ CiphertextBlob: Buffer.from('sealed') }),
    SendMessage: () => ({}),
    SendMessageBatch: () => ({}),
    PutObject: () => ({}),
    DeleteObject: () => ({}),
    GetObject: () => ({ Body: { transformToString: async () => 'AI: Namaste.' } }),
    ...failures,
  });
  const claims = { sub: 'u1' };
  return Object.assign(world, {
    asked: handlers.asked,
    ask: (name: DashboardRouteName, asking: Asking = {}): Promise<Answer> =>
      handlers.ask(name, { ...asking, claims: dashboardRoutes[name].role === 'none' ? null : claims }),
  });
}

const upload = [
  '--b\r\nContent-Disposition: form-data; name="files"; filename="b.txt"\r\nContent-Type: text/plain\r\n\r\ntext',
  '--b--\r\n',
].join('\r\n');
const connection = { id: 'conn_1' };
const assistant = { id: 'asst_1' };

/** Every route that changes data: a request that succeeds, and its audit entry. */
const changes: Partial<Record<DashboardRouteName, [AuditAction, Asking]>> = {
  'sign-out': [
    'member.signed_out_everywhere',
    { query: { everywhere: 'true' }, cookies: ['dashboard_session=t'], body: {} },
  ],
  'update-me': ['member.updated', { body: { name: 'Priya' } }],
  'invite-member': ['member.invited', { body: { email: 'a@example.com', name: 'A', role: 'viewer' } }],
  'change-role': ['member.role_changed', { path: { id: 'u2' }, body: { role: 'viewer' } }],
  'remove-member': ['member.removed', { path: { id: 'u2' } }],
  'place-test-call': [
    'call.test_placed',
    { body: { assistant_id: 'asst_1' }, headers: { 'idempotency-key': 'action-0001' } },
  ],
  'create-assistant': ['assistant.created', { body: { name: 'A' }, headers: { 'idempotency-key': 'action-0004' } }],
  'update-assistant': ['assistant.updated', { path: assistant, body: { revision: 0, name: 'A' } }],
  'delete-assistant': ['assistant.deleted', { path: assistant }],
  'add-knowledge': [
    'assistant.knowledge_added',
    {
      ...{ path: assistant, body: upload },
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'idempotency-key': 'action-0005' },
    },
  ],
  'remove-knowledge': ['assistant.knowledge_removed', { path: { ...assistant, entryId: KNOWLEDGE } }],
  'stop-call': ['call.stopped', { path: { id: WAITING } }],
  'resend-callback': ['callback.resent', { path: { id: ENDED, webhookId: 'wh_1' } }],
  'retry-leads': [
    'leads.retried',
    { path: connection, body: { outcome: 'insufficient_credits', since: '2026-03-01T00:00:00.000Z' } },
  ],
  'create-connection': ['connection.created', { body: { type: 'crm-a' } }],
  'update-connection': ['connection.updated', { path: connection, body: { revision: 0, auto_call: false } }],
  'disconnect-connection': ['connection.disconnected', { path: connection }],
  'replace-token': ['connection.token_replaced', { path: connection }],
  'confirm-consent': [
    'connection.connected',
    {
      path: { id: 'conn_2' },
      body: { consent_id: PENDING.id, organization_id: '7' },
      cookies: [`dashboard_consent=${BROWSER}`],
    },
  ],
  'refuse-consent': ['connection.consent_refused', { path: { id: 'conn_2' }, body: { consent_id: PENDING.id } }],
  'send-test-event': [
    'connection.test_event_sent',
    { path: connection, body: { phone: '9812345678' }, headers: { 'idempotency-key': 'action-0002' } },
  ],
  'create-key': ['key.created', { body: { name: 'k', permissions: ['calls:read'], seed: 's'.repeat(43) } }],
  'revoke-key': ['key.revoked', { path: { id: 'key_1' } }],
  'update-organization': ['org.updated', { body: { revision: 0, name: 'Acme' } }],
  'reveal-callback-secret': ['callback_secret.revealed', {}],
  'rotate-callback-secret': ['callback_secret.rotated', {}],
  'add-do-not-call': ['do_not_call.added', { body: { phones: ['9812345671'] } }],
  'remove-do-not-call': ['do_not_call.removed', { path: { phone: '919812345670' }, body: { reason: 'A mistake.' } }],
};

/** Methods other than GET that write no audit entry, with the reason. */
const exceptions: Partial<Record<DashboardRouteName, string>> = {
  'sign-in': 'a session is the user pool’s',
  'refresh-session': 'a session is the user pool’s',
  'request-password-reset': 'a password is the user pool’s',
  'reset-password': 'a password is the user pool’s',
  'change-password': 'a password is the user pool’s',
  'begin-consent': 'needs an OAuth client: test/unit/operations/connections/confirm-consent.test.ts',
  'repeat-analysis': 'asks the model: test/unit/operations/after-call/repeat-analysis.test.ts',
};

const routes = Object.entries<DashboardRoute>(dashboardRoutes) as [DashboardRouteName, DashboardRoute][];

describe('the audit log of the dashboard', () => {
  it('has an entry for every route that changes data', () => {
    const changing = routes.filter(([, { method }]) => method !== 'GET').map(([name]) => name);
    const listed = [...Object.keys(changes), ...Object.keys(exceptions)];
    expect(listed.sort()).toEqual([...changing, 'reveal-callback-secret'].sort());
  });

  it.each(Object.entries(changes))('%s', async (name, [action, asking]) => {
    const world = anOffice();
    const { status, body } = await world.ask(name as DashboardRouteName, asking);
    expect([status < 300, body.error]).toEqual([true, undefined]);
    const entries = world.auditEntries().filter(({ org_id }) => org_id === ORG);
    const user = { user_id: 'u1', email: 'u1@example.com' };
    expect(entries).toMatchObject([{ action, org_id: ORG, actor: { kind: 'member', ...user } }]);
    expect(JSON.stringify(entries)).not.toMatch(/whsec|svc_live|98123456/);
  });
});

const LONG = 'é'.repeat(2_000);
const LONE = 'a\ud800b\u0000c';
const DEEP = 30_000;
const nested = (open: string, close: string) => open.repeat(DEEP) + close.repeat(DEEP);
/** Replaces every text of a body. */
const withTexts = (body: unknown, text: string): unknown =>
  JSON.parse(JSON.stringify(body), (_, value) => (typeof value === 'string' ? text : value));
const namesOf = (isWanted: (route: DashboardRoute) => unknown) =>
  routes.filter(([, route]) => isWanted(route)).map(([name]) => name);
const taking = namesOf(({ request }) => request);
const wanted = (name: DashboardRouteName): object =>
  (changes[name]?.[1].body as object | undefined) ?? (name === 'begin-consent' ? { data_center: 'in' } : {});

describe('a consent that waits', () => {
  const asking = changes['confirm-consent']?.[1];
  it.each<[string, string[] | undefined]>([
    ['without the cookie', undefined],
    ['with the cookie of another consent', [`dashboard_consent=${'c'.repeat(43)}`]],
    ['with a malformed cookie', ['dashboard_consent=', `dashboard_consent=${BROWSER} x`]],
    ['with the session of the same person', ['dashboard_session=t']],
  ])('is not confirmed by a browser %s', async (_which, cookies) => {
    const world = anOffice();
    const shown = { path: { id: 'conn_2' }, cookies: cookies ?? [] };
    expect((await world.ask('show-connection', shown)).body).toMatchObject({ may_confirm: false });
    const answer = await world.ask('confirm-consent', { ...asking, ...shown });
    expect([answer.status, answer.body.error]).toEqual([403, 'begun_elsewhere']);
    expect(world.all('connections')).toContainEqual(expect.objectContaining({ pending_consent: PENDING }));
  });

  it('is shown without tokens, and confirmed only in the browser that began it', async () => {
    const { body } = await anOffice().ask('show-connection', {
      path: { id: 'conn_2' },
      cookies: asking?.cookies ?? [],
    });
    expect(body).toMatchObject({
      may_confirm: true,
      connection: {
        is_connected: false,
        pending_consent: {
          organizations: [{ id: '7', name: 'Acme' }],
          user: { name: 'Asha', email: 'asha@example.com' },
          begun_by: 'u1@example.com',
          instead_of: null,
        },
      },
    });
    expect(JSON.stringify(body)).not.toMatch(/refresh-1|sealed|browser_hash/);
  });

  it('for another organization than before connects only if the person confirms that, too', async () => {
    const world = anOffice();
    const known_organizations = [{ id: '8', name: 'Former' }];
    world.put('connections', { ...world.find('connections', { connection_id: 'conn_2' }), known_organizations });
    const confirm = (more: object) =>
      world.ask('confirm-consent', { ...asking, body: { ...Object(asking?.body), ...more } });
    for (const more of [{}, { is_other_meant: false }])
      expect(await confirm(more)).toMatchObject({ status: 409, body: { error: 'another_organization' } });
    expect(world.find('connections', { connection_id: 'conn_2' })).toMatchObject({ pending_consent: PENDING });
    expect(await confirm({ is_other_meant: true })).toMatchObject({ status: 200 });
  });
});

describe("the addresses of a member's request", () => {
  const from = { address: '192.0.2.1', forwarded_for: '198.51.100.7' };
  const ask = (world: ReturnType<typeof anOffice>, name: 'place-test-call' | 'add-knowledge') => {
    const { headers, ...asking } = changes[name]?.[1] ?? {};
    const forwarded = { 'x-forwarded-for': `${from.forwarded_for}, ${from.address}` };
    return world.ask(name, { ...asking, headers: { ...headers, ...forwarded } });
  };

  it('are stored on a test call', async () => {
    const world = anOffice();
    await ask(world, 'place-test-call');
    const [call] = world.all('calls').filter(({ tested_by }) => tested_by !== undefined);
    expect(call?.placed_by).toEqual({ kind: 'member', user_id: 'u1', name: 'u1', ...from });
  });

  it('are stored on an entry of a knowledge base', async () => {
    const world = anOffice();
    await ask(world, 'add-knowledge');
    const { knowledge_base } = world.find('assistants', { assistant_id: 'asst_1' }) ?? {};
    expect(knowledge_base).toContainEqual(
      expect.objectContaining({ uploaded_by: { kind: 'member', user_id: 'u1', name: 'u1', ...from } }),
    );
  });
});

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
    'of %s with a schema of any depth is refused',
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

describe('the list of assistants', () => {
  it('contains each assistant once, page by page, while others are created; a cursor reads only its own organization', async () => {
    const world = anOffice();
    const create = (second: number, org_id = ORG) =>
      world.put('assistants', {
        ...anAssistant({ assistant_id: `asst_${org_id}_${second}`, org_id }),
        created_at: `2026-02-01T00:00:0${second}.000Z`,
      });
    for (const second of [1, 2, 3]) for (const org_id of [ORG, 'org2']) create(second, org_id);
    const own = world.all('assistants').filter(({ org_id }) => org_id === ORG);
    const seen: unknown[] = [];
    for (let next: unknown = '', pages = 0; next !== null; pages += 1) {
      const query = { limit: '2', ...(next !== '' && { next: String(next) }) };
      const { status, body } = await world.ask('list-assistants', { query });
      expect(status).toBe(200);
      seen.push(...(body.items as { assistant_id: string }[]).map(({ assistant_id }) => assistant_id));
      next = body.next;
      if (pages === 0) create(9);
    }
    const created = [...own, { assistant_id: `asst_${ORG}_9` }];
    expect(seen.sort()).toEqual(created.map(({ assistant_id }) => assistant_id).sort());
  });
});

describe('an id within a body or a query', () => {
  const OTHERS = `call_${'9'.repeat(32)}`;
  const OTHER_CONSENT = '9'.repeat(32);
  /** Each field that names an item, with an id of another organization. */
  const named: Record<string, [value: string, asking?: Asking]> = {
    'list-calls assistant_id': ['asst_9'],
    'list-calls q': [OTHERS],
    'show-connection event_id': ['evt_99999999', { path: connection }],
    'update-connection assistant_id': ['asst_9', { path: connection, body: { revision: 0 } }],
    'place-test-call assistant_id': ['asst_9', { body: {}, headers: { 'idempotency-key': 'action-0003' } }],
    'explain-lead q': ['l9'],
    'list-audit-entries thing': ['conn_9'],
    'confirm-consent consent_id': [
      OTHER_CONSENT,
      { path: { id: 'conn_2' }, body: { organization_id: '7' }, cookies: [`dashboard_consent=${BROWSER}`] },
    ],
    'refuse-consent consent_id': [OTHER_CONSENT, { path: { id: 'conn_2' } }],
  };
  /** Names from other systems: a user of the CRM, and an organization of the help desk. */
  const elsewhere = [
    'update-connection trigger_owner_user_id',
    'list-choices organization_id',
    'confirm-consent organization_id',
  ];

  const fieldsOf = (schema: unknown) => Object.keys((schema as { def?: { shape?: object } })?.def?.shape ?? {});

  it('has a case in this test for every route', () => {
    const found = routes.flatMap(([name, { request, query }]) =>
      [request, query]
        .flatMap(fieldsOf)
        .flatMap((field) => (/^(q|thing)$|_id$/.test(field) ? [`${name} ${field}`] : [])),
    );
    expect(found.sort()).toEqual([...Object.keys(named), ...elsewhere].sort());
  });

  /** Adds the items of `anOffice` to the other organization. */
  function addOthers(world: ReturnType<typeof anOffice>) {
    const ofOthers = { org_id: 'org2', connection_id: 'conn_9', at: '2026-03-02T05:00:00.000Z', expires_at: 1 };
    const event = { source: 'webhook', event: 'new_lead', test: false, payload_keys: [], lead_id: 'l9' };
    world.put('organizations', anOrg({ org_id: 'org2' }));
    world.put('assistants', anAssistant({ assistant_id: 'asst_9', org_id: 'org2' }));
    world.put('connections', aConnection({ connection_id: 'conn_9', org_id: 'org2', type: 'crm-a' }));
    const pending_consent = { ...PENDING, id: OTHER_CONSENT };
    world.put('connections', aConnection({ connection_id: 'conn_8', org_id: 'org2', pending_consent }));
    world.put('activity', { ...ofOthers, ...event, event_id: 'evt_99999999', outcome: 'called', reason: 'Called.' });
    world.put('audit', {
      ...{
        ...ofOthers,
        entry: `${ofOthers.at}#a`,
        action: 'connection.updated',
        actor: { kind: 'operator', name: 'o' },
      },
      thing: { id: 'conn_9', name: 'CRM-A' },
    });
    world.putCall(aCall({ call_id: OTHERS, org_id: 'org2', assistant_id: 'asst_9' }));
  }

  it.each(Object.entries(named))(
    'of another organization is answered like an unknown id: %s',
    async (asked, [value, asking = {}]) => {
      const [name = '', field = ''] = asked.split(' ');
      const { method } = dashboardRoutes[name as DashboardRouteName];
      const given = { [field]: value };
      const request =
        method === 'GET' ? { ...asking, query: given } : { ...asking, body: { ...Object(asking.body), ...given } };
      const [alone, beside] = [anOffice(), anOffice()];
      const unknown = await alone.ask(name as DashboardRouteName, request);
      addOthers(beside);
      const kept = structuredClone(beside.all('assistants'));
      expect(await beside.ask(name as DashboardRouteName, request)).toEqual(unknown);
      expect([method, unknown.status]).toEqual([method, method === 'GET' ? 200 : expect.any(Number)]);
      if (method !== 'GET')
        expect([unknown.status >= 400, beside.asked, beside.all('assistants')]).toEqual([true, [], kept]);
    },
  );
});

describe('a session', () => {
  const everywhere = { query: { everywhere: 'true' }, cookies: ['dashboard_session=t'], body: {} };

  it.each(namesOf(({ role }) => role === 'none'))(
    'is not changed by a request from another origin: %s',
    async (name) => {
      const world = anOffice();
      const host = DASHBOARD_URL.slice('https://'.length);
      const origins = [
        'null',
        `http://${host}`,
        `${DASHBOARD_URL}.evil.example`,
        `${DASHBOARD_URL}:444`,
        `${DASHBOARD_URL}/`,
      ];
      const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
      const headers: Record<string, string>[] = [
        ...origins.map((origin) => ({ origin })),
        { origin: 'https://evil.example', ...forged },
        { origin: 'https://evil.example', 'x-dashboard': '1, 1' },
        { 'x-dashboard': 'true' },
      ];
      for (const each of headers) {
        const { status, cookies } = await world.ask(name, {
          body: {},
          headers: each,
          cookies: ['dashboard_session=t'],
        });
        expect([status, cookies]).toEqual([403, []]);
      }
      expect(world.asked).toEqual([]);
    },
  );

  it('continues if the user pool is too busy to end it everywhere, and the answer says so', async () => {
    for (const command of ['AdminInitiateAuth', 'GlobalSignOut', 'RevokeToken']) {
      const world = anOffice({
        [command]: () => {
          throw new TooManyRequestsException({ $metadata: {}, message: 'busy' });
        },
      });
      const { status, cookies } = await world.ask('sign-out', everywhere);
      expect([command, status, cookies]).toEqual([command, 503, []]);
    }
  });

  it('ends with a cookie that contains no token', async () => {
    const world = anOffice();
    const cookies = ['dashboard_session=a b'];
    expect((await world.ask('sign-out', { cookies, body: {} })).status).toBe(204);
    expect((await world.ask('refresh-session', { cookies, body: {} })).status).toBe(401);
    expect(world.asked).toEqual([]);
  });

  it('begins for other people while a stranger guesses one person’s password', async () => {
    const world = anOffice();
    const guess = (email: string) => world.ask('sign-in', { body: { email, password: 'a guess' } });
    for (let attempt = 0; attempt < 400; attempt += 1) await guess('victim@example.com');
    expect((await guess('victim@example.com')).status).toBe(429);
    expect((await guess('other@example.com')).status).toBe(200);
  });

  it('begins for at most 300 people of the stage in a minute', async () => {
    const world = anOffice();
    const statuses: number[] = [];
    for (let person = 0; person < 302; person += 1) {
      const body = { email: `p${person}@example.com`, password: 'a guess' };
      statuses.push((await world.ask('sign-in', { body })).status);
    }
    expect(statuses).toEqual([...Array(300).fill(200), 429, 429]);
  });
});

describe('a password that the user pool would not accept', () => {
  const change = (password: string, new_password: string) => {
    const world = anOffice();
    return world.ask('change-password', { body: { password, new_password } }).then((answer) => [answer, world.asked]);
  };

  it.each([' a long new password', 'a long new password\n', 'a long\nnew password'])('is weak: %j', async (text) => {
    expect(await change('the old password', text)).toMatchObject([
      { status: 400, body: { error: 'weak_password' } },
      [],
    ]);
  });

  it('must differ from the present one', async () => {
    const fields = [{ path: 'password' }];
    expect(await change('x', 'a long new password')).toMatchObject([{ status: 400, body: { fields } }, []]);
  });
});
