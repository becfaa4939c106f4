import type { Assistant } from '../../../shared/domain/organizations/assistants/assistant.ts';
import { knowledgePath } from '../../../shared/domain/organizations/assistants/knowledge-file.ts';
import { hasRightsOf, type Role, roles } from '../../../shared/domain/organizations/members/member.ts';
import { removeMember } from '../../../shared/messages/dashboard/people.ts';
import type { DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { signIn, signOut } from '../../../shared/messages/dashboard/session.ts';
import { knowledgeStore } from '../../../shared/stores/organizations/knowledge.ts';
import { aFinishedCall, aNotification } from '../../support/calls/finished-call.ts';
import { aBrowser, aMember, ask, type Person, type Tokens, tokensOf } from '../../support/dashboard/dashboard.ts';
import { aConnection } from '../../support/leads/leads.ts';
import { anOrg, changeAssistant, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { filesBucket, passTime, s3 } from '../../support/stack/stack.ts';

// Derived from the table of routes, so that no new route is forgotten.
const routes = Object.entries<DashboardRoute>(dashboardRoutes).filter(([, { role }]) => role !== 'none');
const parametersOf = ({ path }: DashboardRoute) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
const withId = routes.filter(([, route]) => parametersOf(route).length > 0);
const withTwoIds = routes.filter(([, route]) => parametersOf(route).length > 1);
const LONG_AGO = '2026-01-01T00:00:00.000Z';
const UNKNOWN = {
  id: '00000000-0000-4000-8000-000000000000',
  phone: '919800000001',
  webhookId: 'none',
  entryId: `kb_${'0'.repeat(24)}`,
};
/** Every route refuses this body, except those that do not change data by it. */
const body = ({ request }: DashboardRoute) => (request ? { body: {} } : {});

/** The other required values, so that the id is the reason for the refusal. */
const validBodies: Partial<Record<DashboardRouteName, object>> = {
  'change-role': { role: 'viewer' },
  'update-assistant': { revision: 1 },
  'remove-do-not-call': { reason: 'A mistake.' },
  'retry-leads': { outcome: 'expired', since: '2026-01-01T00:00:00.000Z' },
  'update-connection': { revision: 1, auto_call: true },
  'begin-consent': { data_center: 'in' },
  'confirm-consent': { consent_id: '0'.repeat(32), organization_id: '1' },
  'refuse-consent': { consent_id: '0'.repeat(32) },
  'send-test-event': { phone: '+919800000001' },
};

const people = {} as Record<Role, Person & Tokens>;

/** Ids of an organization's items, by the first part of the paths that contain them. */
type Ids = Record<string, Record<string, string>>;
const ids = {} as { own: Ids; foreign: Ids };

function idsFor(whose: keyof typeof ids, route: DashboardRoute): Record<string, string> {
  const [, things = ''] = route.path.split('/');
  const found = ids[whose][things] ?? {};
  const missing = parametersOf(route).filter((name) => !found[name]);
  if (missing.length > 0) throw new Error(`make a value of ${missing} for /${things}`);
  return found;
}

/** @param entryId of a document @param phone a listed number, which the organization gets */
async function idsOf(org: TestOrg, { entryId, phone }: { entryId: string; phone: string }): Promise<Ids> {
  const path = knowledgePath({ org_id: org.orgId, assistant_id: org.assistantId } as Assistant, entryId);
  const entry = { id: entryId, filename: 'prices.txt', path, textPreview: 'A flat.', uploadedAt: LONG_AGO };
  await knowledgeStore(s3, await filesBucket()).put(path, 'A flat.');
  await changeAssistant(org.assistantId, { knowledge_base: [entry] });
  const call = await aFinishedCall(org, 'Namaste.', { recording: { state: 'stored', key: 'recordings/a.wav' } });
  // The lease prevents the notification from being sent.
  const notification = { ...aNotification(call), lease: { id: 'worker', until: '2100-01-01T00:00:00.000Z' } };
  await stores.callbacks.create(notification);
  const listed = { org_id: org.orgId, phone: `+${phone}`, added_at: LONG_AGO };
  await stores.transact({ number: stores.doNotCall.adding(listed) });
  return {
    members: { id: (await aMember(org, 'owner')).userId },
    assistants: { id: org.assistantId, entryId },
    calls: { id: call.call_id, webhookId: notification.webhook_id },
    'api-keys': { id: org.keyId },
    'do-not-call': { phone },
    connections: { id: (await aConnection({}, org)).connection.connection_id },
  };
}

beforeAll(async () => {
  const org = await anOrg();
  await Promise.all(
    roles.map(async (role) => {
      const person = await aMember(org, role);
      people[role] = { ...person, ...(await tokensOf(person)) };
    }),
  );
  const others = await anOrg();
  ids.own = await idsOf(org, { entryId: `kb_${'1'.repeat(24)}`, phone: '919800000003' });
  ids.foreign = await idsOf(others, { entryId: `kb_${'2'.repeat(24)}`, phone: '919800000002' });
});

describe.each(routes)('%s', (_name, route) => {
  it.each(roles)(`requires the role ${route.role}: admits or refuses a %s by the role alone`, async (role) => {
    const { status, body: answer } = await ask(route, { token: people[role].access, ...body(route) }, UNKNOWN);
    if (hasRightsOf(role, route.role as Role)) expect([200, 400, 404]).toContain(status);
    else expect([status, answer.error]).toEqual([403, 'not_permitted']);
  });

  it.each([
    ['no token', () => undefined],
    ['a made-up token', () => 'a.b.c'],
    ['an id token', () => people.owner.id],
  ])('refuses %s', async (_what, token) => {
    expect((await ask(route, { token: token(), ...body(route) }, UNKNOWN)).status).toBe(401);
  });
});

const given = (name: string, route: DashboardRoute) => ({
  token: people.owner.access,
  ...(validBodies[name as DashboardRouteName] && { body: validBodies[name as DashboardRouteName] }),
  ...(route.idempotencyKey && { headers: { 'idempotency-key': 'action-0001' } }),
});

/** Sends a request with each of the ids. @returns status and text of the answers. */
const answersTo = (name: string, route: DashboardRoute, each: Record<string, string>[]) =>
  Promise.all(
    each.map(async (values) => {
      const { status, body: answer } = await ask(route, given(name, route), values);
      return [status, JSON.stringify(answer)];
    }),
  );

describe.each(withId)('%s', (name, route) => {
  it("answers another organization's id like an unknown one, byte for byte", async () => {
    const [unknown, others] = await answersTo(name, route, [UNKNOWN, idsFor('foreign', route)]);
    expect(others).toEqual(unknown);
    expect(unknown?.[0]).toBe(404);
  });
});

describe.each(withTwoIds)('%s', (name, route) => {
  it.each(parametersOf(route))(
    "answers another organization's %s beside an own id like an unknown one",
    async (one) => {
      const [own, foreign] = [idsFor('own', route), idsFor('foreign', route)];
      const mixes = [UNKNOWN, foreign].map((from: Record<string, string>) => ({ ...own, [one]: from[one] ?? '' }));
      const things = () =>
        Promise.all([
          stores.assistants.get(ids.foreign.assistants?.id ?? ''),
          stores.callbacks.listOfCall(ids.foreign.calls?.id ?? ''),
        ]);
      const before = await things();
      const [unknown, others] = await answersTo(name, route, mixes);
      expect(others).toEqual(unknown);
      expect(unknown?.[0]).toBe(404);
      expect(await things()).toEqual(before);
    },
  );

  it("accepts two ids of the person's own organization", async () => {
    const [own] = await answersTo(name, route, [idsFor('own', route)]);
    expect([200, 202, 204]).toContain(own?.[0]);
  });
});

describe('every route', () => {
  const statusesWith = (token: string) =>
    Promise.all(routes.map(async ([, route]) => (await ask(route, { token, ...body(route) }, UNKNOWN)).status));
  const all = (status: number) => routes.map(() => status);

  it('refuses a removed member at once, even with a valid token', async () => {
    const member = await aMember(people.owner.org, 'admin');
    const { access } = await tokensOf(member);
    await ask(removeMember, { token: people.owner.access }, { id: member.userId });
    expect(await statusesWith(access)).toEqual(all(403));
  });

  it('refuses a token from before a sign-out everywhere', async () => {
    const member = await aMember(people.owner.org, 'admin');
    const { access } = await tokensOf(member);
    const browser = aBrowser();
    await browser.ask(signIn, { email: member.email, password: member.password });
    await browser.ask(signOut, {}, { query: '?everywhere=true' });
    expect(await statusesWith(access)).toEqual(all(401));
  });

  it('refuses an expired token', async () => {
    const { access } = await tokensOf(people.admin);
    await passTime(601);
    expect(await statusesWith(access)).toEqual(all(401));
  });
});
