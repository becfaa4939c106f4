import { randomUUID } from 'node:crypto';
import type { DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { connectsOften, grants } from '../../support/connections/crm-b.ts';
import { action, anUpload } from '../../support/dashboard/dashboard.ts';
import { aPendingConsent, aTenant, identifiersOf, itemsOf, type Tenant } from '../../support/dashboard/tenants.ts';
import { stores } from '../../support/organizations/orgs.ts';
import { openFieldsOf } from '../../support/rest/open-fields.ts';
import { type Answer, aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, workersAreIdle } from '../../support/stack/stack.ts';

type Sent = { body?: object | string; query?: string; headers?: Record<string, string>; path?: Record<string, string> };

/** A request with a value of another organization. */
type Crossing = {
  /** The organization's values of this field. */
  values: (of: Tenant) => string[] | Promise<string[]>;
  /** Values with which the request succeeds, if not the organization's own ones. */
  accepted?: () => string[];
  /** The request with this value, valid otherwise. */
  send: (value: string, own: Tenant) => Sent | Promise<Sent>;
} & (
  | {
      /** The status of the refusal. */
      refused: number;
      /** A value of no organization, which must be answered alike; absent if the refusal may tell them apart. */
      unknown?: string;
    }
  /** The entries that the answer shows for the value: none for another organization's value. */
  | { found: (body: Record<string, unknown>) => unknown[] }
  /** The created item's id in the answer, which differs for each organization. */
  | { made: (body: Record<string, unknown>) => unknown }
  /** The value is only compared with the organization's own values. */
  | { ignored: true }
);

const UNKNOWN = 'none';
const UNKNOWN_CONSENT = '0'.repeat(32);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value == null ? [] : [value]);
const items = ({ items: found }: Record<string, unknown>) => list(found);
const query = (name: string) => (value: string) => ({ query: `?${new URLSearchParams({ [name]: value })}` });
const revisionOf = async (id: string) => (await stores.connections.get(id))?.revision ?? 0;

/** The pending consent of each organization. The one of `theirs` is for another organization at CRM-B. */
const consents = new Map<Tenant, Awaited<ReturnType<typeof aPendingConsent>>>();

async function consentOf(tenant: Tenant) {
  const found = tenant === theirs ? consents.get(tenant) : undefined;
  const consent = found ?? (await aPendingConsent(tenant));
  consents.set(tenant, consent);
  return consent;
}

/** Builds the request that confirms the organization's own consent. The given values replace the body's own. */
const confirming = async (own: Tenant, given: object) => {
  const { consentId, organizationId, cookie } = consents.get(own) ?? (await consentOf(own));
  const body = { consent_id: consentId, organization_id: organizationId, ...given };
  return { path: { id: own.connections.crmB }, body, headers: { cookie } };
};

/** By route and field. */
const crossings: Record<string, Crossing> = {
  'invite-member email': {
    values: ({ colleague }) => [colleague.email],
    accepted: () => [`new-${randomUUID().slice(0, 8)}@example.com`],
    send: (email) => ({ body: { email, name: 'Meera', role: 'viewer' } }),
    refused: 409,
  },
  'list-audit-entries actor': { values: ({ owner }) => [owner.email], send: query('actor'), found: items },
  'list-audit-entries thing': {
    values: ({ keyId, connections }) => [keyId, connections.crmA],
    send: query('thing'),
    found: items,
  },
  'list-calls assistant_id': { values: ({ org }) => [org.assistantId], send: query('assistant_id'), found: items },
  'list-calls q': {
    values: ({ call, orderKey, leadId }) => [call.call_id, orderKey, call.phone_number, leadId],
    send: query('q'),
    found: items,
  },
  'place-test-call assistant_id': {
    values: ({ org }) => [org.assistantId],
    send: (assistant_id) => ({ body: { assistant_id }, headers: action() }),
    ...{ refused: 404, unknown: UNKNOWN },
  },
  'place-test-call Idempotency-Key': {
    values: ({ testCall }) => [testCall.key],
    send: (key, { org }) => ({ body: { assistant_id: org.assistantId }, headers: action(key) }),
    made: ({ call_id }) => call_id,
  },
  'create-assistant Idempotency-Key': {
    values: ({ assistant }) => [assistant.key],
    send: (key) => ({ body: { name: 'Meera' }, headers: action(key) }),
    made: ({ assistant_id }) => assistant_id,
  },
  'add-knowledge Idempotency-Key': {
    values: ({ uploadKey }) => [uploadKey],
    send: async (key, { org }) => ({ path: { id: org.assistantId }, ...(await anUpload(key)) }),
    made: ({ items: added }) => (list(added).at(-1) as { id: string }).id,
  },
  'create-key seed': {
    values: ({ keySeed }) => [keySeed],
    send: (seed) => ({ body: { name: 'shop', permissions: ['calls:read'], seed } }),
    made: ({ key }) => (key as { key_id: string }).key_id,
  },
  'explain-lead q': {
    values: ({ leadPhone, events }) => [leadPhone, ...events.flatMap(({ lead_id }) => lead_id ?? [])],
    send: query('q'),
    found: ({ verdict, events, calls, now }) => [verdict, events, calls, now].flatMap(list),
  },
  'retry-leads next': {
    values: ({ events }) => [writeCursor({ at: '2026-01-01T00:00:00.000Z', event_id: events[0]?.event_id }) ?? ''],
    send: (next, { connections }) => ({
      path: { id: connections.crmA },
      body: { outcome: 'insufficient_credits', since: '2026-01-01T00:00:00.000Z', next },
    }),
    ignored: true,
  },
  'show-connection event_id': {
    values: ({ testEvent }) => [testEvent.id],
    send: (event_id, { connections }) => ({ path: { id: connections.crmA }, ...query('event_id')(event_id) }),
    found: ({ event }) => list(event),
  },
  'update-connection assistant_id': {
    values: ({ org }) => [org.assistantId],
    send: async (assistant_id, { connections: { crmA: id } }) => ({
      path: { id },
      body: { revision: await revisionOf(id), assistant_id },
    }),
    ...{ refused: 404, unknown: UNKNOWN },
  },
  'update-connection settings': {
    values: ({ deskId }) => [deskId],
    send: async (orgId, { connections: { desk: id } }) => ({
      path: { id },
      body: { revision: await revisionOf(id), settings: { orgId } },
    }),
    ...{ refused: 400, unknown: UNKNOWN },
  },
  'confirm-consent consent_id': {
    values: async (of) => [(await consentOf(of)).consentId],
    send: (consent_id, own) => confirming(own, { consent_id }),
    ...{ refused: 409, unknown: UNKNOWN_CONSENT },
  },
  'confirm-consent organization_id': {
    values: async (of) => [(await consentOf(of)).organizationId],
    send: (organization_id, own) => confirming(own, { organization_id }),
    ...{ refused: 409, unknown: UNKNOWN },
  },
  'refuse-consent consent_id': {
    values: async (of) => [(await consentOf(of)).consentId],
    send: (consent_id, { connections }) => ({ path: { id: connections.crmB }, body: { consent_id } }),
    ...{ refused: 409, unknown: UNKNOWN_CONSENT },
  },
  'list-choices organization_id': {
    values: ({ deskId }) => [deskId],
    send: (value, { connections }) => ({ path: { id: connections.desk }, ...query('organization_id')(value) }),
    found: ({ departments, agents }) => [departments, agents].flatMap(list),
  },
  'send-test-event Idempotency-Key': {
    values: ({ testEvent }) => [testEvent.key],
    send: (key, { connections }) => ({
      path: { id: connections.crmA },
      body: { phone: aPhoneNumber(), owner: 'somebody else' },
      headers: action(key),
    }),
    made: ({ event_id }) => event_id,
  },
  'list-do-not-call prefix': { values: ({ listedPhone }) => [listedPhone], send: query('prefix'), found: items },
  'add-do-not-call phones': {
    values: ({ listedPhone }) => [listedPhone],
    send: (phone) => ({ body: { phones: [phone], check: true } }),
    found: ({ listed }) => (listed === 0 ? [] : [listed]),
  },
};

/** The other fields, by the reason why another organization's value is no different from any other. */
const harmless: Record<string, string[]> = {
  'the size of a page': ['limit'],
  'a text that is stored, shown or spoken as it is': [
    ...['name', 'first_name', 'prompt', 'first_message', 'voice', 'language', 'success_criteria'],
    ...['analysis_schema.properties', 'variables', 'reason'],
  ],
  'a country, or a number to call, to call from or to transfer to, which no organization owns': [
    ...['default_region', 'phone', 'platform_numbers', 'transfer_number'],
  ],
  'an id of the CRM, compared with the owners of leads': ['owner', 'trigger_owner_user_id'],
  "a password of the person's own, checked at the user pool": ['password', 'new_password'],
};

/** Queries of a list whose pages have positions of other kinds. */
const kindsOfPages: Partial<Record<DashboardRouteName, ((own: Tenant) => Record<string, string>)[]>> = {
  'list-calls': [
    () => ({}),
    () => ({ phase: 'scheduled' }),
    ({ org }) => ({ assistant_id: org.assistantId }),
    ({ call }) => ({ q: call.phone_number }),
  ],
  'list-audit-entries': [() => ({}), ({ owner }) => ({ actor: owner.email })],
};

const routes = Object.entries(dashboardRoutes) as [DashboardRouteName, DashboardRoute][];
/** The routes with a role. The others act for no organization, and their fields are a person's proof of identity. */
const ofMembers = routes.filter(([, { role }]) => role !== 'none');
const isPage = ({ query: of }: DashboardRoute, field: string) => field === 'next' && openFieldsOf(of).includes(field);
const fieldsOf = ([name, route]: [DashboardRouteName, DashboardRoute]) =>
  [
    ...openFieldsOf(route.query),
    ...openFieldsOf(route.request),
    ...(route.idempotencyKey ? ['Idempotency-Key'] : []),
  ].flatMap((field) => (isPage(route, field) ? [] : [{ field, key: `${name} ${field}` }]));
const lists = ofMembers.filter(([, route]) => isPage(route, 'next'));

let ours: Tenant;
let theirs: Tenant;
let identifiers: string[];

beforeAll(async () => {
  await crmB.settings(connectsOften);
  [theirs, ours] = await Promise.all([aTenant(), aTenant()]);
  const { consentId } = await consentOf(theirs);
  const pending = (await stores.connections.get(theirs.connections.crmB))?.pending_consent;
  if (!pending?.grant.identity) throw new Error('no pending consent');
  const organizations = [{ id: '777', name: 'Zylker' }];
  const grant = { ...pending.grant, identity: { ...pending.grant.identity, organizations } };
  await grants.noteIdentity(theirs.connections.crmB, { ...pending, grant });
  consents.set(theirs, { consentId, organizationId: '777', cookie: '' });
  identifiers = [...identifiersOf(theirs), consentId];
});

const asked = async (key: string, value: string): Promise<Answer> => {
  const route = dashboardRoutes[key.split(' ')[0] as DashboardRouteName];
  const { path, ...sent } = await (crossings[key] as Crossing).send(value, ours);
  return ours.ask(route, sent, path);
};

/** Fails if an answer shows something of the other organization, except a value that the request had. */
function expectNothingOfTheirs({ body }: Answer, given = ''): void {
  const { next } = body;
  const text = JSON.stringify(body) + (typeof next === 'string' ? Buffer.from(next, 'base64url').toString() : '');
  expect(identifiers.filter((id) => !given.includes(id) && text.includes(id))).toEqual([]);
}

describe('a value of another organization in a body, a query or a header', () => {
  it('is tested in every field that may hold one, except in harmless fields', () => {
    const fields = ofMembers.flatMap(fieldsOf);
    const free = Object.values(harmless).flat();
    const needed = fields.filter(({ field, key }) => !free.includes(field) || key in crossings);
    expect(Object.keys(crossings).sort()).toEqual(needed.map(({ key }) => key).sort());
    expect(free.filter((field) => !fields.some((one) => one.field === field))).toEqual([]);
  });

  it.each(Object.entries(crossings))('reveals and changes none of its data: %s', async (key, crossing) => {
    const [own, foreign] = [await crossing.values(ours), await crossing.values(theirs)];
    const before = await itemsOf(theirs);
    for (const value of foreign) {
      const answer = await asked(key, value);
      expectNothingOfTheirs(answer, value);
      if ('refused' in crossing) {
        expect([answer.status, answer.body.error]).toEqual([crossing.refused, expect.any(String)]);
        const { unknown } = crossing;
        if (unknown !== undefined) expect((await asked(key, unknown)).body).toEqual(answer.body);
      } else if ('made' in crossing) {
        expect([answer.status < 300, crossing.made(answer.body)]).toEqual([true, expect.any(String)]);
      } else expect([answer.status, 'found' in crossing ? crossing.found(answer.body) : []]).toEqual([200, []]);
    }
    await workersAreIdle();
    expect(await itemsOf(theirs)).toEqual(before);
    // The same request succeeds with a permitted value, so the other value was the reason.
    for (const value of crossing.accepted?.() ?? own) {
      const { status, body } = await asked(key, value);
      expect({ value, error: body.error, isSuccess: status < 300 }).toEqual({ value, isSuccess: true });
      if ('found' in crossing) expect(crossing.found(body)).not.toEqual([]);
    }
  });
});

describe("a page after another organization's position", () => {
  const pageOf = (tenant: Tenant, route: DashboardRoute, asking: Record<string, string>) =>
    tenant.ask(route, { query: `?${new URLSearchParams(asking)}` });
  const pages = lists.flatMap(([name, route]) =>
    (kindsOfPages[name] ?? [() => ({})]).map((kind, index) => ({ name, route, kind, index })),
  );

  it.each(pages)('shows none of its items: $name $index', async ({ route, kind }) => {
    const first = await pageOf(theirs, route, { ...kind(theirs), limit: '1' });
    const next = String(first.body.next);
    expect([first.status, items(first.body).length, first.body.next]).toEqual([200, 1, expect.any(String)]);
    expect(items((await pageOf(theirs, route, { ...kind(theirs), next })).body)).not.toEqual([]);
    const before = await itemsOf(theirs);
    const own = await pageOf(ours, route, { ...kind(ours), limit: '200' });
    const crossed = await pageOf(ours, route, { ...kind(ours), limit: '200', next });
    expect([200, 400]).toContain(crossed.status);
    expect(items(own.body)).toEqual(expect.arrayContaining(items(crossed.body)));
    expectNothingOfTheirs(crossed);
    expect(await itemsOf(theirs)).toEqual(before);
  });
});
