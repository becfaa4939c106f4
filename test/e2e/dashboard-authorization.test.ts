import { hasRightsOf, type Role, roles } from '../../shared/domain/organizations/member.ts';
import { removeMember } from '../../shared/messages/dashboard/people.ts';
import type { DashboardRoute } from '../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { signIn, signOut } from '../../shared/messages/dashboard/session.ts';
import { aBrowser, aMember, ask, type Person, type Tokens, tokensOf } from '../support/dashboard.ts';
import { aFinishedCall, aNotification } from '../support/finished-call.ts';
import { aConnection } from '../support/leads.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { passTime } from '../support/stack.ts';

// Made from the table of routes, so that no new route can be forgotten.
const routes = Object.entries<DashboardRoute>(dashboardRoutes).filter(([, { role }]) => role !== 'none');
const withId = routes.filter(([, { path }]) => path.includes('{'));
const UNKNOWN = {
  id: '00000000-0000-4000-8000-000000000000',
  phone: '919800000001',
  webhookId: 'none',
  entryId: 'kb_unknown',
};
/** A number of the other organization. */
const LISTED = '919800000002';
/** No route accepts this body, except those that change nothing by it. */
const body = ({ request }: DashboardRoute) => (request ? { body: {} } : {});

/** What is needed beside the id, so that the id is what is refused. */
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
/** Ids of another organization, by the first part of the paths that take them. */
const foreignIds: Record<string, Record<string, string>> = {};
const foreignIdFor = ({ path }: DashboardRoute) => {
  const [, things = ''] = path.split('/');
  const ids = foreignIds[things];
  if (!ids) throw new Error(`make an id of another organization for /${things}`);
  return ids;
};

beforeAll(async () => {
  const org = await anOrg();
  await Promise.all(
    roles.map(async (role) => {
      const person = await aMember(org, role);
      people[role] = { ...person, ...(await tokensOf(person)) };
    }),
  );
  const others = await anOrg();
  const recording = { state: 'stored' as const, key: 'recordings/a.wav' };
  const othersCall = await aFinishedCall(others, 'Namaste.', { recording });
  const notification = aNotification(othersCall);
  await stores.callbacks.create(notification);
  const listed = { org_id: others.orgId, phone: `+${LISTED}`, added_at: '2026-01-01T00:00:00.000Z' };
  await stores.transact({ number: stores.doNotCall.adding(listed) });
  Object.assign(foreignIds, {
    members: { id: (await aMember(others, 'owner')).userId },
    assistants: { id: others.assistantId, entryId: 'kb_unknown' },
    calls: { id: othersCall.call_id, webhookId: notification.webhook_id },
    'api-keys': { id: others.keyId },
    'do-not-call': { phone: LISTED },
    connections: { id: (await aConnection({}, others)).connection.connection_id },
  });
});

describe.each(routes)('%s', (_name, route) => {
  it.each(roles)(`is ${route.role}'s: answers a %s by the role only`, async (role) => {
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

describe.each(withId)('%s', (name, route) => {
  it("answers another organization's id as an unknown one, byte for byte", async () => {
    const valid = validBodies[name as DashboardRouteName];
    const headers = route.takesIdempotencyKey && { headers: { 'idempotency-key': 'deed-0001' } };
    const given = { ...(valid && { body: valid }), ...headers };
    const answers = await Promise.all(
      [UNKNOWN, foreignIdFor(route)].map((ids) => ask(route, { token: people.owner.access, ...given }, ids)),
    );
    const [unknown, others] = answers.map(({ status, body: answer }) => [status, JSON.stringify(answer)]);
    expect(others).toEqual(unknown);
    expect(unknown?.[0]).toBe(404);
  });
});

describe('every route', () => {
  const statusesWith = (token: string) =>
    Promise.all(routes.map(async ([, route]) => (await ask(route, { token, ...body(route) }, UNKNOWN)).status));
  const all = (status: number) => routes.map(() => status);

  it('refuses a removed member at once, whatever token is still valid', async () => {
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
