import type { Assistant } from '../../shared/domain/organizations/assistants/assistant.ts';
import { knowledgePath } from '../../shared/domain/organizations/assistants/knowledge-file.ts';
import { costlyLimits } from '../../shared/domain/organizations/rate-limit.ts';
import { DASHBOARD_PATH, type DashboardRoute } from '../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { knowledgeStore } from '../../shared/stores/organizations/knowledge.ts';
import { aFinishedCall, aNotification, aRecording } from '../support/calls/finished-call.ts';
import { aCrmBConnection, anUnconnected, connectsOften } from '../support/connections/crm-b.ts';
import { acting, aMember, type Person, tokensOf } from '../support/dashboard/dashboard.ts';
import { aPendingConsent } from '../support/dashboard/tenants.ts';
import { aConnection } from '../support/leads/leads.ts';
import { aKey, changeAssistant, stores, type TestOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber, placeCall } from '../support/rest/rest.ts';
import { crmB, environment, filesBucket, now, s3 } from '../support/stack/stack.ts';
import { aTenant, list, type MakeTargets, REQUESTS_OF_CALL, SPARE, type Target } from './targets.ts';

/** Items that a request uses up. The requests of a route take them in turn; later ones find them gone. */
const FEW = 30;
/** Limits of an organization, at any time of its requests: analyses, uploads and test calls. */
const REQUESTS_OF_ORG = Math.min(costlyLimits.analyses.ofOrg, costlyLimits.uploads.ofOrg);

const bearer = async (person: Person) => ({ Authorization: `Bearer ${(await tokensOf(person)).access}` });

/** Creates an organization without a line, so that no call is dialed, and its owner. */
async function anOwner(given?: TestOrg) {
  const org = given ?? (await aTenant());
  const person = await aMember(org, 'owner');
  return { org, person, headers: await bearer(person) };
}

type Owner = Awaited<ReturnType<typeof anOwner>>;

/** Makes targets whose requests one owner sends. */
const byOwner =
  (make: (owner: Owner, requests: number) => Promise<Omit<Target, 'headers'>[]> = async () => [{}]): MakeTargets =>
  async (requests) => {
    const owner = await anOwner();
    return (await make(owner, requests)).map((target) => ({ headers: owner.headers, ...target }));
  };

/** Makes targets for so many owners that their requests never reach a limit. */
const byOwners =
  (make: (owner: Owner) => Promise<Omit<Target, 'headers'>[]>, ofOrg = REQUESTS_OF_ORG): MakeTargets =>
  async (requests) => {
    const each = await list((requests * SPARE) / ofOrg, async () => {
      const owner = await anOwner();
      return (await make(owner)).map((target): Target => ({ headers: owner.headers, ...target }));
    });
    // One item of each owner in turn.
    return each.flat().length === 0 ? [] : inTurn(each);
  };

const inTurn = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, index) =>
    lists.flatMap((one) => one.slice(index, index + 1)),
  ).flat();

const ids = (each: readonly string[]) => each.map((id) => ({ path: { id } }));
const once = async <T>(target: Promise<T> | T): Promise<T[]> => [await target];

/** Copies the organization's assistant under a new id, because each request needs its own. */
async function anAssistant({ orgId, assistantId }: TestOrg, name: string): Promise<string> {
  const given = await stores.assistants.get(assistantId);
  const assistant = { ...given, assistant_id: `${assistantId}${name}`, created_at: now().toISOString() } as Assistant;
  await stores.transact({ assistant: stores.assistants.adding({ ...assistant, org_id: orgId }) });
  return assistant.assistant_id;
}

const knowledge = knowledgeStore(s3, await filesBucket());

async function knowledgeOf({ orgId, assistantId }: TestOrg): Promise<Omit<Target, 'headers'>[]> {
  const assistant = { org_id: orgId, assistant_id: assistantId } as Assistant;
  const entries = Array.from({ length: FEW }, (_, index) => {
    const id = `kb_${String(index).padStart(24, '0')}`;
    const path = knowledgePath(assistant, id);
    return { id, filename: 'prices.txt', path, textPreview: 'A flat.', uploadedAt: now().toISOString() };
  });
  await list(FEW, (index) => knowledge.put(entries[index]?.path ?? '', 'A flat.'));
  await changeAssistant(assistantId, { knowledge_base: entries });
  return entries.map(({ id }) => ({ path: { id: assistantId, entryId: id } }));
}

async function notified(org: TestOrg): Promise<Omit<Target, 'headers'>[]> {
  const call = await aFinishedCall(org);
  // The lease prevents the notification from being sent.
  const notification = { ...aNotification(call), lease: { id: 'worker', until: '2100-01-01T00:00:00.000Z' } };
  await stores.callbacks.create(notification);
  return [{ path: { id: call.call_id, webhookId: notification.webhook_id } }];
}

async function recorded(org: TestOrg): Promise<Omit<Target, 'headers'>[]> {
  const { call_id } = await aFinishedCall(org, 'user: I want to see the flat.');
  const file = { org_id: org.orgId, call_id: `${call_id}r` };
  const { call_id: heard } = await aFinishedCall(org, undefined, {
    call_id: file.call_id,
    recording: await aRecording(file),
  });
  return ids([call_id, heard]);
}

/** Creates a connection of each type, without a consent. @returns their ids */
async function connectionsOf(org: TestOrg): Promise<string[]> {
  const { connection } = await aConnection({ auto_call: false }, org);
  const others = await Promise.all(
    (['crm-b', 'help-desk'] as const).map((type) => anUnconnected(type, { auto_call: false }, org)),
  );
  return [connection, ...others.map((other) => other.connection)].map(({ connection_id }) => connection_id);
}

/** Creates owners with one pending consent each, and an owner whose connections have no pending consent. */
const pendingConsents: MakeTargets = async () => {
  await crmB.settings(connectsOften);
  const pending = await list(FEW, async () => {
    const { org, person, headers } = await anOwner();
    const { connection } = await anUnconnected('crm-b', { auto_call: false }, org);
    const tenant = { ask: await acting(person), connections: { crmB: connection.connection_id } };
    const { consentId, organizationId, cookie } = await aPendingConsent(tenant);
    const body = { consent_id: consentId, organization_id: organizationId };
    return { headers: { ...headers, Cookie: cookie }, path: { id: connection.connection_id }, body };
  });
  const { org, headers } = await anOwner();
  return [...pending, ...ids(await connectionsOf(org)).map((target) => ({ headers, ...target }))];
};

const aCrmA = async (org: TestOrg): Promise<string> =>
  (await aConnection({ auto_call: false }, org)).connection.connection_id;

/** The headers that the pages of the dashboard send. */
const fromPage = { 'X-Dashboard': '1', Origin: environment.base_url };
const asPage: MakeTargets = async () => [{ headers: fromPage }];

const listed = (requests: number): Promise<string[]> => list(Math.min(requests, FEW), async () => aPhoneNumber());

/** Targets by the name of the route's function. For other routes, one owner sends all requests, without ids. */
const targets: Partial<Record<DashboardRouteName, MakeTargets>> = {
  'sign-in': asPage,
  'refresh-session': asPage,
  'sign-out': asPage,
  'request-password-reset': asPage,
  'reset-password': asPage,
  'change-password': byOwners(({ person }) => once({ body: { password: person.password } }), 10),
  'invite-member': byOwner(() => list(FEW, async (index) => ({ body: { email: `fuzz-${index}@example.com` } }))),
  'change-role': byOwner(async ({ org }) => ids([(await aMember(org, 'viewer')).userId])),
  'remove-member': byOwner(async ({ org, person }) =>
    ids([person.userId, ...(await list(FEW, async () => (await aMember(org, 'viewer')).userId))]),
  ),
  'show-call': byOwner(({ org }) => recorded(org)),
  'link-recording': byOwner(({ org }) => recorded(org)),
  'place-test-call': byOwners(async ({ org, person }) => {
    const member = { user_id: person.userId, org_id: org.orgId };
    await stores.transact({ member: stores.members.updating(member, { phone: aPhoneNumber() }) });
    return [{ body: { assistant_id: org.assistantId } }];
  }),
  'create-assistant': byOwner(),
  'show-assistant': byOwner(async ({ org }) => ids([org.assistantId])),
  'update-assistant': byOwner(({ org }, requests) =>
    list(requests / 10, async (index) => ({
      path: { id: await anAssistant(org, String(index)) },
      body: { revision: 0 },
    })),
  ),
  'delete-assistant': byOwner(async ({ org }) => ids(await list(FEW, (index) => anAssistant(org, String(index))))),
  'add-knowledge': byOwners(async ({ org }) => ids([org.assistantId])),
  'show-knowledge': byOwner(({ org }) => knowledgeOf(org)),
  'remove-knowledge': byOwner(({ org }) => knowledgeOf(org)),
  'stop-call': byOwner(async ({ org }) => {
    const { call_id } = await aFinishedCall(org);
    return ids([call_id, ...(await list(FEW, () => placeCall(org, { phone_number: aPhoneNumber() })))]);
  }),
  'repeat-analysis': byOwners(async ({ org }) => {
    const { transcript_key } = await aFinishedCall(org, 'user: I want to see the flat.');
    const calls = await list((REQUESTS_OF_ORG * SPARE) / REQUESTS_OF_CALL, () =>
      aFinishedCall(org, undefined, { transcript_key }),
    );
    return ids(calls.map(({ call_id }) => call_id));
  }),
  'resend-callback': byOwner(({ org }) => notified(org)),
  'retry-leads': byOwner(async ({ org }) => ids([await aCrmA(org)])),
  'show-connection': byOwner(async ({ org }) => ids(await connectionsOf(org))),
  'update-connection': byOwners(
    async ({ org }) => (await connectionsOf(org)).map((id) => ({ path: { id }, body: { revision: 1 } })),
    100,
  ),
  'disconnect-connection': byOwners(async ({ org }) => ids(await connectionsOf(org)), 100),
  'replace-token': byOwner(async ({ org }) => ids(await connectionsOf(org))),
  'begin-consent': byOwner(async ({ org }) =>
    ids(await connectionsOf(org)).map((target) => ({ ...target, body: { data_center: 'in' } })),
  ),
  'confirm-consent': pendingConsents,
  'refuse-consent': pendingConsents,
  'list-choices': byOwner(async ({ org }) => {
    const { connectionId } = await aCrmBConnection({ auto_call: false }, org);
    return ids([connectionId, await aCrmA(org)]);
  }),
  'send-test-event': byOwners(async ({ org }) => {
    const path = { id: await aCrmA(org) };
    return [{ path, body: { phone: aPhoneNumber() } }];
  }, 10),
  'revoke-key': byOwner(async ({ org }) => ids(await list(FEW, async () => (await aKey(org.orgId)).keyId))),
  'update-organization': byOwners(() => once({ body: { revision: 0 } }), 50),
  'add-do-not-call': byOwner(async (_, requests) =>
    (await listed(requests)).map((phone) => ({ body: { phones: [phone, aPhoneNumber()] } })),
  ),
  'remove-do-not-call': byOwner(async ({ org }, requests) => {
    const phones = await listed(requests);
    const added_at = now().toISOString();
    await list(phones.length, (index) =>
      stores.transact({
        number: stores.doNotCall.adding({ org_id: org.orgId, phone: phones[index] ?? '', added_at }),
      }),
    );
    return phones.map((phone) => ({ path: { phone: phone.slice(1) } }));
  }),
};

/** Method and path of a dashboard route. */
const nameOfDashboard = (name: DashboardRouteName): string => {
  const { method, path }: DashboardRoute = dashboardRoutes[name];
  return `${method} ${DASHBOARD_PATH}${path}`;
};

const names = Object.keys(dashboardRoutes) as DashboardRouteName[];

/** By method and path of the route. */
export const dashboardTargets: Record<string, MakeTargets> = Object.fromEntries(
  names.map((name) => [nameOfDashboard(name), targets[name] ?? byOwner()]),
);

const attempts = 'the stage takes 300 attempts in a minute, and an address 10';

/** Routes that refuse most requests with a limit of attempts or e-mails, or with 401, and the reason. */
export const limitedRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ['sign-in', attempts],
      ['request-password-reset', attempts],
      ['reset-password', attempts],
      ['change-password', attempts],
      ['invite-member', 'an organization e-mails 20 invitations in a minute'],
      ['refresh-session', 'no session is renewed without the cookie of a browser'],
    ] as const
  ).map(([name, why]) => [nameOfDashboard(name), why]),
);
